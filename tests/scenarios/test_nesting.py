"""Nested stacks."""

from __future__ import annotations

from tests.support.workbench import Probe, Workbench, probe, template

INNER = {
    "heat_template_version": "2018-08-31",
    "parameters": {"value": {"type": "string"}},
    "resources": {"p": probe({"get_param": "value"})},
    "outputs": {"out": {"value": {"get_attr": ["p", "value"]}}},
}


def outer(value: str, **more: object) -> dict[str, object]:
    return template(
        {"n": {"type": "inner.yaml", "properties": {"value": value}}, **more},
        outputs={
            "out": {"value": {"get_attr": ["n", "out"]}},
            "inner": {"value": {"get_attr": ["n", "resource.p", "value"]}},
        },
    )


def files() -> dict[str, str]:
    import json

    return {"inner.yaml": json.dumps(INNER)}


def test_a_template_resource_is_a_nested_stack(bench: Workbench) -> None:
    stack = bench.create(outer("x"), files=files())

    ended = bench.wait(stack)

    assert ended.state == "CREATE_COMPLETE", ended.reason
    assert ended.outputs == {"out": {"value": "x"}, "inner": {"value": "x"}}
    [child] = bench.nested(stack)
    assert child.state == "CREATE_COMPLETE"
    assert child.parent_resource == "n"
    assert bench.resources(stack)["n"].physical_id == child.id


def test_a_change_reaches_into_the_stack_below(bench: Workbench) -> None:
    stack = bench.create(outer("x"), files=files())
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, outer("y"), files=files())
    ended = bench.wait(stack)

    assert ended.state == "UPDATE_COMPLETE", ended.reason
    assert Probe.journal == [("update", "p", "y")]
    assert ended.outputs == {"out": {"value": "y"}, "inner": {"value": "y"}}


def test_a_nested_failure_has_its_whole_path(bench: Workbench) -> None:
    import json

    failing = {**INNER, "resources": {"p": probe(fails="create")}, "outputs": {}}
    stack = bench.create(
        template({"n": {"type": "inner.yaml", "properties": {"value": "x"}}}),
        files={"inner.yaml": json.dumps(failing)},
    )

    ended = bench.wait(stack)

    assert ended.reason == "Resource CREATE failed: RuntimeError: resources.n.resources.p: told to fail"


def test_deleting_a_stack_deletes_what_is_below_it(bench: Workbench) -> None:
    stack = bench.create(outer("x"), files=files())
    bench.wait(stack)

    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert ("delete", "p", "x") in Probe.journal
    [child] = bench.nested(stack)
    assert child.deleted_at is not None
