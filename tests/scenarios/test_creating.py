"""Creating stacks."""

from __future__ import annotations

from tests.support.workbench import Probe, Workbench, probe, template


def test_a_stack_is_created_in_the_order_of_its_references(bench: Workbench) -> None:
    stack = bench.create(
        template(
            {
                "last": probe({"get_attr": ["middle", "value"]}),
                "middle": probe({"get_attr": ["first", "value"]}),
                "first": probe("seed"),
            },
            outputs={"o": {"value": {"get_attr": ["last", "value"]}}},
        )
    )

    ended = bench.wait(stack)

    assert ended.state == "CREATE_COMPLETE"
    assert ended.reason == "Stack CREATE completed successfully"
    assert Probe.journal == [
        ("create", "first", "seed"),
        ("create", "middle", "seed"),
        ("create", "last", "seed"),
    ]
    assert ended.outputs == {"o": {"value": "seed"}}


def test_every_transition_is_an_event(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe()}))
    bench.wait(stack)

    assert bench.events(stack) == [
        ("s", "CREATE_IN_PROGRESS"),
        ("a", "CREATE_IN_PROGRESS"),
        ("a", "CREATE_COMPLETE"),
        ("s", "CREATE_COMPLETE"),
    ]


def test_depends_on_is_respected(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe(depends_on="b"), "b": probe(seconds=0.1)}))
    bench.wait(stack)

    assert [name for _, name, _ in Probe.journal] == ["b", "a"]


def test_a_failure_stops_what_depends_on_it(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe(fails="create"), "b": probe(depends_on="a")}))

    ended = bench.wait(stack)

    assert ended.state == "CREATE_FAILED"
    assert ended.reason == "Resource CREATE failed: RuntimeError: resources.a: told to fail"
    rows = bench.resources(stack)
    assert rows["a"].state == "CREATE_FAILED"
    assert rows["a"].reason == "RuntimeError: resources.a: told to fail"
    assert "b" not in rows or rows["b"].action == "INIT"


def test_with_rollback_a_failed_creation_leaves_no_resources(bench: Workbench) -> None:
    stack = bench.create(
        template({"a": probe("kept"), "b": probe(fails="create", depends_on="a")}), disable_rollback=False
    )

    ended = bench.wait(stack)
    while ended.action == "CREATE":
        ended = bench.wait(stack)

    assert ended.state == "ROLLBACK_COMPLETE"
    assert bench.resources(stack) == {}
    assert ("delete", "a", "kept") in Probe.journal


def test_after_that_a_failed_update_leads_back_to_nothing(bench: Workbench) -> None:
    stack = bench.create(
        template({"a": probe("first"), "b": probe(fails="create", depends_on="a")}), disable_rollback=False
    )
    bench.until(lambda: bench.stack(stack.id).state == "ROLLBACK_COMPLETE")

    bench.update(stack, template({"c": probe("second"), "d": probe(fails="create", depends_on="c")}))
    bench.until(
        lambda: bench.stack(stack.id).action == "ROLLBACK" and bench.stack(stack.id).run_id != stack.run_id
    )

    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"
    assert bench.resources(stack) == {}
    assert Probe.journal.count(("create", "a", "first")) == 1


def test_a_stack_can_be_deleted_while_it_is_created(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe(seconds=100)}))

    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
