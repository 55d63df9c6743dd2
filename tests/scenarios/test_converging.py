"""Updates with `converge` detect and repair changes of real objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from calor.language.schema import Property
from calor.service.commands import StackChange
from tests.support.workbench import CALLER, Probe, Workbench, template

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 2, "resource_def": {"type": "Test::Thing", "properties": {"value": "m"}}},
}


class Thing(Probe, extends=True):
    """A probe of something outside, which others may change or remove."""

    type_name = "Test::Thing"
    properties = {**Probe.properties, "value": Property(str, update_allowed=True, default="")}
    world: ClassVar[dict[str, str]] = {}

    @classmethod
    async def create(cls, ctx: Any, props: Any) -> None:
        await super().create(ctx, props)
        cls.world[ctx.physical_id] = props["value"]

    @classmethod
    async def update(cls, ctx: Any, props: Any, changed: frozenset[str]) -> None:
        await super().update(ctx, props, changed)
        cls.world[ctx.physical_id] = props["value"]

    @classmethod
    async def live_state(cls, ctx: Any) -> dict[str, Any] | None:
        return {"value": cls.world[ctx.physical_id]} if ctx.physical_id in cls.world else None


class Distant(Probe, extends=True):
    """Something in a cloud that nobody can ask."""

    type_name = "Test::Distant"

    @classmethod
    async def live_state(cls, ctx: Any) -> dict[str, Any] | None:
        cloud = await ctx.cloud()
        return await cloud.show("compute", "servers", ctx.physical_id)


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    Thing.world = {}
    made = Workbench(database_url, [Thing, Distant])
    yield made
    made.close()


def test_what_somebody_has_changed_is_put_right_in_place(bench: Workbench) -> None:
    document = template({"a": {"type": "Test::Thing", "properties": {"value": "mine"}}})
    stack = bench.create(document)
    bench.wait(stack)
    [id] = Thing.world
    Thing.world[id] = "theirs"
    bench.update(stack, document, converge=True)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Thing.world == {id: "mine"}


def test_a_missing_object_is_replaced(bench: Workbench) -> None:
    document = template({"a": {"type": "Test::Thing", "properties": {"value": "mine"}}})
    stack = bench.create(document)
    bench.wait(stack)
    [gone] = Thing.world
    del Thing.world[gone]
    bench.update(stack, document, converge=True)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert list(Thing.world.values()) == ["mine"]
    assert gone not in Thing.world


def test_it_looks_into_the_stacks_below(bench: Workbench) -> None:
    stack = bench.create(template({"g": GROUP}))
    bench.wait(stack)
    first, second = Thing.world
    Thing.world[first] = "theirs"
    bench.update(stack, template({"g": GROUP}), converge=True)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Thing.world == {first: "m", second: "m"}


def test_other_updates_look_at_nothing(bench: Workbench) -> None:
    document = template({"a": {"type": "Test::Thing", "properties": {"value": "mine"}}})
    stack = bench.create(document)
    bench.wait(stack)
    [id] = Thing.world
    Thing.world[id] = "theirs"
    bench.update(stack, document)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Thing.world == {id: "theirs"}


class TestPlans:
    """Of an update that converges: they tell what the update then does."""

    def plan(
        self, bench: Workbench, stack: Any, document: dict[str, Any], converge: bool = True
    ) -> list[str]:
        change = StackChange({"template": document, "files": {}}, converge=converge)
        shown = bench.commands.previews.update(CALLER, bench.stack(stack.id), change, False)

        def reported(steps: list[Any]) -> list[str]:
            own = [
                line
                for one in steps
                for line in (f"{one['action']} {'/'.join(one['path'])}", *reported(one.get("nested", [])))
            ]
            return [line for line in own if not line.startswith("keep")]

        return reported(shown["plan"])

    def test_tell_what_somebody_has_changed(self, bench: Workbench) -> None:
        document = template({"a": {"type": "Test::Thing", "properties": {"value": "mine"}}})
        stack = bench.create(document)
        bench.wait(stack)
        [id] = Thing.world
        assert self.plan(bench, stack, document) == []
        Thing.world[id] = "theirs"

        assert self.plan(bench, stack, document) == ["update a"]
        assert self.plan(bench, stack, document, converge=False) == []
        assert Thing.world == {id: "theirs"}
        before = len(bench.events(stack))
        bench.update(stack, document, converge=True)
        bench.wait(stack)
        done = bench.events(stack)[before:]
        assert ("a", "UPDATE_COMPLETE") in done

    def test_tell_what_is_gone(self, bench: Workbench) -> None:
        document = template(
            {
                "a": {"type": "Test::Thing", "properties": {"value": "mine"}},
                "b": {"type": "Test::Thing", "properties": {"value": {"get_resource": "a"}}},
            }
        )
        stack = bench.create(document)
        bench.wait(stack)
        gone = next(id for id, value in Thing.world.items() if value == "mine")
        del Thing.world[gone]

        shown = self.plan(bench, stack, document)

        assert shown[0] == "replace a"
        change = StackChange({"template": document, "files": {}}, converge=True)
        previewed = bench.commands.previews.update(CALLER, bench.stack(stack.id), change, False)
        assert previewed["plan"][0]["reason"] == f"it is in state CHECK_FAILED: {gone} no longer exists"
        assert shown[1].split()[1] == "b"
        assert shown[2:] == ["delete a"]
        assert bench.resources(stack)["a"].status == "COMPLETE"
        bench.update(stack, document, converge=True)
        assert bench.wait(stack).state == "UPDATE_COMPLETE"
        assert gone not in Thing.world

    def test_look_into_the_stacks_below(self, bench: Workbench) -> None:
        stack = bench.create(template({"g": GROUP}))
        bench.wait(stack)
        first, _ = Thing.world
        Thing.world[first] = "theirs"

        shown = self.plan(bench, stack, template({"g": GROUP}))

        assert shown[0] == "update g"
        assert len(shown) == 2
        assert shown[1].startswith("update g/")


def test_what_cannot_be_looked_at_is_taken_as_it_is(bench: Workbench) -> None:
    """As in the run."""
    document = template({"a": {"type": "Test::Distant"}})
    stack = bench.create(document)
    bench.wait(stack)

    change = StackChange({"template": document}, converge=True)
    shown = bench.commands.previews.update(CALLER, bench.stack(stack.id), change, False)

    assert [one["action"] for one in shown["plan"]] == ["keep"]
