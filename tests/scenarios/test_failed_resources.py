"""The next update replaces unhealthy resources at any level."""

from __future__ import annotations

import json

from calor.store import records
from tests.support.workbench import CALLER, Probe, Workbench, probe, template

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 3, "resource_def": {"type": "Test::Probe", "properties": {"value": "m"}}},
}
RESTARTER = {"type": "OS::Heat::HARestarter", "properties": {"InstanceId": {"get_resource": "a"}}}


def ill(bench: Workbench, stack: records.Stack, name: str) -> None:
    bench.commands.resources.mark_unhealthy(
        CALLER, stack, bench.resources(stack)[name], True, "it does not answer"
    )


def test_an_unhealthy_resource_is_replaced(bench: Workbench) -> None:
    document = template({"a": probe("1"), "b": probe({"get_resource": "a"})})
    stack = bench.create(document)
    bench.wait(stack)
    before = bench.resources(stack)["a"].physical_id
    ill(bench, stack, "a")
    bench.update(stack, document)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    after = bench.resources(stack)
    assert after["a"].physical_id != before
    assert (after["b"].properties or {})["value"] == after["a"].physical_id


def test_an_unhealthy_member_of_a_group_is_replaced_alone(bench: Workbench) -> None:
    stack = bench.create(template({"g": GROUP}))
    bench.wait(stack)
    [below] = bench.nested(stack)
    before = {name: row.physical_id for name, row in bench.resources(below).items()}
    ill(bench, below, "1")
    bench.update(stack, template({"g": GROUP}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    after = {name: row.physical_id for name, row in bench.resources(below).items()}
    assert {name for name in before if before[name] != after[name]} == {"1"}


def test_a_group_that_is_ill_itself_is_replaced_as_a_whole(bench: Workbench) -> None:
    stack = bench.create(template({"g": GROUP}))
    bench.wait(stack)
    [before] = bench.nested(stack)
    ill(bench, stack, "g")
    bench.update(stack, template({"g": GROUP}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    [after] = [one for one in bench.nested(stack) if one.deleted_at is None]
    assert after.id != before.id
    assert len(bench.resources(after)) == 3


def test_what_is_ill_far_below_is_found(bench: Workbench) -> None:
    inner = template({"g": GROUP})
    document = template({"n": {"type": "inner.yaml"}, "m": {"type": "inner.yaml"}})
    files = {"inner.yaml": json.dumps(inner)}
    stack = bench.create(document, files=files)
    bench.wait(stack)
    one = next(nested for nested in bench.nested(stack) if nested.parent_resource == "n")
    [group] = bench.nested(one)
    ill(bench, group, "0")
    Probe.journal = []
    bench.update(stack, document, files=files)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Probe.journal == [("create", "0", "m"), ("delete", "0", "m")]


def test_nothing_happens_to_groups_and_nested_stacks_that_are_well(bench: Workbench) -> None:
    document = template({"g": GROUP, "n": {"type": "inner.yaml"}})
    files = {"inner.yaml": json.dumps(template({"x": probe("1")}))}
    stack = bench.create(document, files=files)
    bench.wait(stack)
    before = bench.events(stack)
    bench.update(stack, document, files=files)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.events(stack)[len(before) :] == [("s", "UPDATE_IN_PROGRESS"), ("s", "UPDATE_COMPLETE")]


def test_a_restarter_replaces_its_resource(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1"), "r": RESTARTER}))
    bench.wait(stack)
    before = bench.resources(stack)["a"].physical_id
    bench.commands.resources.signal(CALLER, bench.stack(stack.id), bench.resources(stack)["r"], None)
    bench.until(lambda: bench.stack(stack.id).state == "UPDATE_COMPLETE")

    assert bench.resources(stack)["a"].physical_id not in (None, before)
    assert ("delete", "a", "1") in Probe.journal
