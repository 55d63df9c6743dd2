"""Previews and lists show nested stacks as in Heat."""

from __future__ import annotations

from typing import Any

import pytest

from calor.service.commands import NewStack, StackChange
from calor.store import records
from tests.support.workbench import CALLER, Workbench, probe, template

INNER = "heat_template_version: 2018-08-31\nresources:\n  r: {type: Test::Probe}\n"
OUTER = "heat_template_version: 2018-08-31\nresources:\n  inner: {type: inner.yaml}\n"
FILES = {"inner.yaml": INNER, "outer.yaml": OUTER}
NESTED = {"n": {"type": "outer.yaml"}}
GROUP = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 3, "resource_def": probe()}}


@pytest.fixture
def stack(bench: Workbench) -> records.Stack:
    made = bench.wait(bench.create(template(NESTED), files=FILES))
    assert made.state == "CREATE_COMPLETE", made.reason
    return made


def lists(bench: Workbench, stack: records.Stack, resources: dict[str, Any]) -> dict[str, list[Any]]:
    """The lists that have something in them: pairs of a resource and the one whose stack it is in."""
    change = StackChange({"template": template(resources), "files": FILES})
    shown = bench.commands.previews.update(CALLER, stack, change, True)["resource_changes"]
    return {
        group: [(one.get("parent_resource"), one["resource_name"]) for one in items]
        for group, items in shown.items()
        if items
    }


def test_what_is_below_unchanged_stacks_is_listed(bench: Workbench, stack: records.Stack) -> None:
    assert lists(bench, stack, NESTED) == {
        "updated": [(None, "n"), ("n", "inner")],
        "unchanged": [("inner", "r")],
    }


def test_what_is_below_a_replaced_stack_is_deleted(bench: Workbench, stack: records.Stack) -> None:
    assert lists(bench, stack, {"n": probe()}) == {
        "replaced": [(None, "n")],
        "deleted": [("n", "inner"), ("inner", "r")],
    }


def test_a_stack_in_the_place_of_another_is_shown_as_a_new_one(
    bench: Workbench, stack: records.Stack
) -> None:
    change = StackChange({"template": template({"n": GROUP})})
    shown = bench.commands.previews.update(CALLER, stack, change, True)["resource_changes"]

    assert [one["resource_name"] for one in shown["added"]] == ["0", "1", "2"]
    assert {one["stack_name"] for one in shown["added"]} == {"s-n"}
    assert [one["resource_name"] for one in shown["deleted"]] == ["inner", "r"]


def test_the_preview_of_a_new_stack_has_all_members_of_a_group(bench: Workbench) -> None:
    request = {"template": template({"a": probe(), "g": GROUP, **NESTED}), "files": FILES}
    shown = bench.commands.previews.create(CALLER, NewStack("s", request))["resources"]

    plain, group, nested = shown
    assert plain["resource_name"] == "a"
    assert [(one["resource_name"], one["parent_resource"]) for one in group] == [
        ("0", "g"),
        ("1", "g"),
        ("2", "g"),
    ]
    [[innermost]] = nested
    assert (innermost["resource_name"], innermost["parent_resource"]) == ("r", "inner")


def test_stacks_that_an_update_did_not_touch_are_shown_as_updated(
    bench: Workbench, stack: records.Stack
) -> None:
    [child] = bench.nested(stack)
    [grandchild] = bench.nested(child)
    before = bench.events(child)

    bench.update(stack, template({**NESTED, "a": probe()}), files=FILES)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["n"].state == "UPDATE_COMPLETE"
    assert bench.resources(child)["inner"].state == "UPDATE_COMPLETE"
    assert bench.resources(grandchild)["r"].state == "CREATE_COMPLETE"
    assert [bench.stack(one.id).state for one in (child, grandchild)] == ["UPDATE_COMPLETE"] * 2
    assert bench.events(child) == before
    assert ("n", "UPDATE_IN_PROGRESS") not in bench.events(stack)


def test_other_stacks_are_not_shown_as_updated(bench: Workbench, stack: records.Stack) -> None:
    other = bench.wait(bench.create(template(NESTED), name="other", files=FILES))

    bench.wait(bench.update(stack, template({**NESTED, "a": probe()}), files=FILES))

    assert bench.resources(other)["n"].state == "CREATE_COMPLETE"
    assert [one.state for one in bench.nested(other)] == ["CREATE_COMPLETE"]
