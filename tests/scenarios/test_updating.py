"""Updating stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from calor.language.schema import Attribute
from calor.resources.contract import ResourceType
from calor.service.commands import StackChange
from calor.service.errors import ServiceError
from calor.store import tables
from calor.store.writer import Changes
from tests.support.workbench import CALLER, Probe, Workbench, probe, template


def test_only_what_changed_is_touched(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1"), "b": probe("2")}))
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, template({"a": probe("1"), "b": probe("3")}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Probe.journal == [("update", "b", "3")]


def test_an_update_that_changes_nothing_touches_nothing(bench: Workbench) -> None:
    same = template({"a": probe("1")})
    stack = bench.create(same)
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, same)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Probe.journal == []
    assert [event for event in bench.events(stack) if event[0] == "a"][2:] == []


def test_a_replacement_is_created_before_the_old_resource_is_deleted(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1", fixed="x"), "b": probe({"get_resource": "a"})}))
    bench.wait(stack)
    before = bench.resources(stack)["a"].physical_id
    Probe.journal.clear()

    bench.update(stack, template({"a": probe("1", fixed="y"), "b": probe({"get_resource": "a"})}))
    bench.wait(stack)

    assert [(action, name) for action, name, _ in Probe.journal] == [
        ("create", "a"),
        ("update", "b"),
        ("delete", "a"),
    ]
    assert bench.resources(stack)["a"].physical_id != before
    assert [state for name, state in bench.events(stack) if name == "a"][2:] == [
        "UPDATE_IN_PROGRESS",
        "UPDATE_COMPLETE",
        "CREATE_IN_PROGRESS",
        "CREATE_COMPLETE",
        "DELETE_IN_PROGRESS",
        "DELETE_COMPLETE",
    ]


def test_what_is_gone_from_the_template_is_deleted_after_its_dependants(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1"), "b": probe({"get_resource": "a"}), "c": probe("3")}))
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, template({"c": probe("3")}))
    bench.wait(stack)

    assert [(action, name) for action, name, _ in Probe.journal] == [("delete", "b"), ("delete", "a")]
    assert list(bench.resources(stack)) == ["c"]


def test_what_is_gone_from_the_template_is_deleted_after_what_it_needs_is_changed(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1", seconds=0.2), "b": probe({"get_resource": "a"})}))
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, template({"a": probe("2", seconds=0.2)}))
    bench.wait(stack)

    assert [(action, name) for action, name, _ in Probe.journal] == [("update", "a"), ("delete", "b")]


def test_a_failed_update_rolls_back_to_the_last_completed_definition(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}), disable_rollback=False)
    bench.wait(stack)

    bench.update(stack, template({"a": probe("2"), "b": probe(fails="create", depends_on="a")}))
    ended = bench.wait(stack)
    while ended.action == "UPDATE":
        ended = bench.wait(stack)

    assert ended.state == "ROLLBACK_COMPLETE"
    assert list(bench.resources(stack)) == ["a"]
    assert bench.resources(stack)["a"].properties == {"value": "1", "fixed": "", "fails": "", "seconds": 0}


def test_a_failed_resource_is_replaced_by_the_next_update(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe(fails="create")}))
    bench.wait(stack)

    bench.update(stack, template({"a": probe("now")}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["a"].state == "CREATE_COMPLETE"


def test_a_newer_update_takes_over_the_one_under_way(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)

    bench.update(stack, template({"a": probe("2", seconds=30)}))
    bench.update(stack, template({"a": probe("3")}))

    ended = bench.wait(stack)
    assert ended.state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["a"].properties is not None
    assert bench.resources(stack)["a"].properties["value"] == "3"  # type: ignore[index]


def test_what_an_engine_writes_meanwhile_is_not_lost(bench: Workbench) -> None:
    """A request knows the stack as it was when it was looked at."""
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    seen = bench.stack(stack.id)
    changes = Changes()
    changes.update(tables.stack, stack.id, user_project="made meanwhile")
    bench.writer.write(changes)

    bench.commands.stacks.act(CALLER, seen, "check")

    assert bench.wait(stack).user_project == "made meanwhile"


def test_a_stack_that_began_to_go_is_not_held_up(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    seen = bench.stack(stack.id)
    bench.delete(stack)

    with pytest.raises(ServiceError):
        bench.commands.stacks.update(CALLER, seen, StackChange({"template": template({"a": probe("2")})}))

    assert bench.wait(stack).state == "DELETE_COMPLETE"


class Lazy(ResourceType, extends=True):
    """Asks for what attributes tell only if the template reads it."""

    type_name = "Test::Lazy"
    attributes = {"colour": Attribute(str)}

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        ctx.set_physical_id("lazy-1")
        await cls.refresh(ctx)

    @classmethod
    async def refresh(cls, ctx: Any) -> None:
        if ctx.reads("colour"):
            ctx.set_data(colour="blue")

    @classmethod
    def is_attribute_known(cls, ctx: Any, attribute: str) -> bool:
        return attribute in ctx.data

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return ctx.data.get(name)


def test_newly_read_attributes_are_refreshed_before_dependants_use_them(database_url: str) -> None:
    bench = Workbench(database_url, [Lazy])
    try:
        lazy = {"type": "Test::Lazy"}
        stack = bench.wait(bench.create(template({"lazy": lazy})))
        changed = template({"lazy": lazy, "probe": probe({"get_attr": ["lazy", "colour"]})})
        assert bench.wait(bench.update(stack, changed)).status == "COMPLETE"
        assert bench.resources(stack)["probe"].properties["value"] == "blue"
    finally:
        bench.close()
