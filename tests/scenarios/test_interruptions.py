"""Engines that are killed or stopped in the middle of an action, which the next engine continues."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import pytest
from sqlalchemy import select

from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.store import database, tables, writer
from tests.support.workbench import CALLER, PATIENCE, Probe, Workbench, probe, template


class Findable(ResourceType, extends=True):
    """An object that can be found again. Work on it hangs at the points in `hangs`."""

    type_name = "Test::Findable"
    properties = {
        "value": Property(str, update_allowed=True, default=""),
        "fixed": Property(str, default=""),
        "fails": Property(bool, default=False),
    }
    hangs: ClassVar[set[str]] = set()
    objects: ClassVar[dict[str, tuple[str, str]]] = {}
    """The resource for which an object was made, and its value."""
    made: ClassVar[list[str]] = []
    intents: ClassVar[list[str]] = []
    """What was stored of a resource when its creation began."""
    stored: ClassVar[Callable[[str], str]]

    @classmethod
    async def _reach(cls, ctx: Context, point: str) -> None:
        if point in cls.hangs:
            cls.hangs.add(f"{point}!")
            await ctx.sleep(600)

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        cls.intents.append(cls.stored(ctx.id))
        if props["fails"]:
            cls.made.append("failure")
            raise ResourceFailed("told to fail")
        await cls._reach(ctx, "before")
        id = f"object-{len(cls.made)}"
        cls.made.append(id)
        cls.objects[id] = (ctx.id, props["value"])
        await cls._reach(ctx, "made")
        ctx.set_physical_id(id)
        await cls._reach(ctx, "noted")

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        for id, (resource, _) in cls.objects.items():
            if resource == ctx.id:
                ctx.set_physical_id(id)
                return True
        return False

    @classmethod
    async def update(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        assert ctx.physical_id is not None
        if "value" in changed:
            cls.objects[ctx.physical_id] = (ctx.id, props["value"])
        await cls._reach(ctx, "updated")

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            cls.objects.pop(ctx.physical_id, None)
        await cls._reach(ctx, "deleted")


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    made = Workbench(database_url, [Findable])
    Findable.hangs, Findable.objects, Findable.made, Findable.intents = set(), {}, [], []

    def stored(id: str) -> str:
        table = tables.resource
        with database.reading(made.database).connect() as connection:
            row = connection.execute(select(table).where(table.c.id == id)).one()
        return f"{row.action}_{row.status} {row.properties['value']}"

    Findable.stored = staticmethod(stored)
    yield made
    made.close()


def findable(value: str = "a", **more: Any) -> dict[str, Any]:
    return {"type": "Test::Findable", "properties": {"value": value, **more}}


def hang(*points: str) -> None:
    Findable.hangs = set(points)


def reached(point: str) -> None:
    end = time.monotonic() + PATIENCE
    while f"{point}!" not in Findable.hangs:
        assert time.monotonic() < end, f"never reached: {point}"
        time.sleep(0.005)


def crash_at(bench: Workbench, point: str) -> None:
    reached(point)
    bench.crash()
    hang()


def values() -> list[str]:
    return sorted(value for _, value in Findable.objects.values())


def test_the_intent_is_stored_before_creating(bench: Workbench) -> None:
    bench.wait(bench.create(template({"r": findable("a")})))

    assert Findable.intents == ["CREATE_IN_PROGRESS a"]


@pytest.mark.parametrize("point", ["before", "made", "noted"])
def test_an_object_created_before_a_crash_is_not_created_again(bench: Workbench, point: str) -> None:
    hang(point)
    stack = bench.create(template({"r": findable("a")}))
    crash_at(bench, point)

    bench.start()

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert Findable.made == ["object-0"]
    assert bench.resources(stack)["r"].physical_id == "object-0"


def test_what_is_found_is_changed_if_something_else_is_wanted_by_then(bench: Workbench) -> None:
    hang("made")
    stack = bench.create(template({"r": findable("a")}))
    crash_at(bench, "made")
    bench.update(stack, template({"r": findable("b")}))

    bench.start()

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Findable.made == ["object-0"]
    assert values() == ["b"]


def test_what_is_found_is_replaced_if_it_cannot_be_changed(bench: Workbench) -> None:
    hang("made")
    stack = bench.create(template({"r": findable("a")}))
    crash_at(bench, "made")
    bench.update(stack, template({"r": findable("b", fixed="new")}))

    bench.start()

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert list(Findable.objects) == ["object-1"]


@pytest.mark.parametrize("wanted_by_then", ["nothing", "another resource"])
def test_an_object_created_before_a_crash_is_found_and_deleted(bench: Workbench, wanted_by_then: str) -> None:
    hang("made")
    stack = bench.create(template({"r": findable("a")}))
    crash_at(bench, "made")
    if wanted_by_then == "nothing":
        bench.delete(stack)
    else:
        bench.update(stack, template({"other": findable("b")}))

    bench.start()

    assert bench.wait(stack).status == "COMPLETE"
    assert values() == ([] if wanted_by_then == "nothing" else ["b"])


def test_an_interrupted_update_is_taken_back(bench: Workbench) -> None:
    stack = bench.create(template({"r": findable("a")}))
    bench.wait(stack)
    hang("updated")
    bench.update(stack, template({"r": findable("b")}))
    crash_at(bench, "updated")
    assert values() == ["b"]
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_update")

    bench.start()

    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"
    assert values() == ["a"]


def test_an_interrupted_deletion_is_replaced_when_the_resource_is_wanted_again(bench: Workbench) -> None:
    stack = bench.create(template({"r": findable("a"), "stays": findable("s")}))
    bench.wait(stack)
    hang("deleted")
    bench.update(stack, template({"stays": findable("s")}))
    crash_at(bench, "deleted")
    assert values() == ["s"]
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_update")

    bench.start()

    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"
    assert values() == ["a", "s"]
    assert bench.resources(stack)["r"].status == "COMPLETE"


def test_what_has_failed_is_not_tried_again_after_a_crash(bench: Workbench) -> None:
    hang("made")
    stack = bench.create(template({"slow": findable("a"), "broken": findable("b", fails=True)}))
    reached("made")
    bench.until(lambda: bench.resources(stack).get("broken", None) is not None)
    bench.until(lambda: bench.resources(stack)["broken"].status == "FAILED")
    crash_at(bench, "made")

    bench.start()

    ended = bench.wait(stack)
    assert ended.state == "CREATE_FAILED"
    assert ended.reason == "Resource CREATE failed: ResourceFailure: resources.broken: told to fail"
    assert Findable.made.count("failure") == 1
    assert {row.status for row in bench.resources(stack).values()} <= {"FAILED", "COMPLETE"}


def test_stopping_an_engine_fails_nothing(bench: Workbench) -> None:
    hang("made")
    stack = bench.create(template({"r": findable("a")}))
    reached("made")
    bench.stop()
    assert bench.resources(stack)["r"].state == "CREATE_IN_PROGRESS"
    hang()

    bench.start()

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert Findable.made == ["object-0"]
    assert ("r", "CREATE_FAILED") not in bench.events(stack)


def test_stopping_an_engine_during_a_deletion_leaves_nothing(bench: Workbench) -> None:
    inner = '{"heat_template_version": "2018-08-31", "resources": {"x": %s, "y": %s}}'
    one = '{"type": "Test::Findable"}'
    two = '{"type": "Test::Findable", "depends_on": ["x"]}'
    stack = bench.create(template({"n": {"type": "inner.yaml"}}), files={"inner.yaml": inner % (one, two)})
    assert bench.wait(stack).state == "CREATE_COMPLETE"
    hang("deleted")
    bench.delete(stack)
    reached("deleted")
    bench.stop()
    assert len(Findable.objects) == 1
    hang()

    bench.start()

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert Findable.objects == {}
    assert {nested.state for nested in bench.nested(stack)} == {"DELETE_COMPLETE"}


def test_a_rollback_starts_with_the_failure_event(bench: Workbench) -> None:
    """No moment in between can be seen, or killed in."""
    stack = bench.create(template({"r": findable("a", fails=True)}), disable_rollback=False)
    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"
    reported = [state for name, state in bench.events(stack) if name == "s"]
    assert reported == ["CREATE_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_IN_PROGRESS", "ROLLBACK_COMPLETE"]


def test_what_is_changed_or_deleted_is_stored_as_such_before(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = bench.create(template({"changed": probe("x"), "deleted": probe("x")}))
    bench.wait(stack)
    seen: list[str] = []

    async def look(ctx: Any, *_: Any) -> None:
        seen.append(bench.resources(stack)[ctx.name].state)

    def slowly(*changes: Any) -> None:
        time.sleep(0.1)
        apply(*changes)

    apply = writer.apply
    monkeypatch.setattr(Probe, "update", look)
    monkeypatch.setattr(Probe, "delete", look)
    monkeypatch.setattr(writer, "apply", slowly)
    bench.update(stack, template({"changed": probe("y")}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert seen == ["UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"]


class Renewed(Findable):
    """One that every update replaces."""

    type_name = "Test::Renewed"
    always_replaced = True


def test_what_every_update_replaces_is_replaced_once_however_many_engines_it_takes(database_url: str) -> None:
    bench = Workbench(database_url, [Findable, Renewed])
    Findable.hangs, Findable.objects, Findable.made, Findable.intents = set(), {}, [], []
    Findable.stored = staticmethod(lambda id: "")
    renewed = {"type": "Test::Renewed", "properties": {"value": "a"}}
    after = {**findable("b"), "depends_on": "renewed"}
    try:
        stack = bench.create(template({"renewed": renewed}))
        bench.wait(stack)
        assert len(Findable.made) == 1

        hang("noted")
        Renewed.hangs = set()
        bench.update(stack, template({"renewed": renewed, "after": after}))
        crash_at(bench, "noted")
        bench.start()

        assert bench.wait(stack).state == "UPDATE_COMPLETE"
        assert len(Findable.made) == 3
        bench.update(stack, template({"renewed": renewed, "after": after}))
        bench.wait(stack)
        assert len(Findable.made) == 4
    finally:
        bench.close()
