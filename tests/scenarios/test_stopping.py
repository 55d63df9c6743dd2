"""Actions that are ended before they are done."""

from __future__ import annotations

from workbench import CALLER, Probe, Workbench, probe, template

from calor.store import records


def making(bench: Workbench) -> records.Stack:
    """A stack whose one resource takes its time."""
    stack = bench.create(template({"a": probe("1", seconds=20), "b": probe("2", depends_on="a")}))
    bench.until(lambda: "a" in bench.resources(stack) and bench.resources(stack)["a"].action == "CREATE")
    return stack


def test_a_cancelled_creation_leaves_nothing_in_progress(bench: Workbench) -> None:
    stack = making(bench)
    bench.commands.act(CALLER, bench.stack(stack.id), "cancel_without_rollback")

    assert bench.wait(stack).state == "CREATE_FAILED"
    bench.until(lambda: bench.resources(stack)["a"].state == "CREATE_FAILED")
    assert "b" not in bench.resources(stack)


def test_an_update_takes_over_from_a_creation_under_way(bench: Workbench) -> None:
    stack = making(bench)
    bench.update(stack, template({"a": probe("1"), "c": probe("3")}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert set(bench.resources(stack)) == {"a", "c"}
    assert [entry for entry in Probe.journal if entry[1] == "a"] == [("create", "a", "1")]


def test_a_deletion_takes_over_from_a_creation_under_way(bench: Workbench) -> None:
    stack = making(bench)
    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert bench.resources(stack) == {}


def test_an_engine_that_is_told_to_end_leaves_what_it_does_to_the_next_one(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1", seconds=0.5)}))
    bench.until(lambda: "a" in bench.resources(stack))
    bench.restart()

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert Probe.journal == [("create", "a", "1")]


def test_a_cancelled_update_leads_back(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.update(stack, template({"a": probe("2", seconds=20)}))
    bench.until(lambda: bench.resources(stack)["a"].state == "UPDATE_IN_PROGRESS")
    bench.commands.act(CALLER, bench.stack(stack.id), "cancel_update")

    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"
    properties = bench.resources(stack)["a"].properties
    assert properties is not None
    assert properties["value"] == "1"
