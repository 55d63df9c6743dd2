"""An update that converges looks at what there really is, and puts it right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from workbench import Probe, Workbench, template

from calor.language.schema import Property

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 2, "resource_def": {"type": "Test::Thing", "properties": {"value": "m"}}},
}


class Thing(Probe):
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
    async def live(cls, ctx: Any) -> dict[str, Any] | None:
        return {"value": cls.world[ctx.physical_id]} if ctx.physical_id in cls.world else None


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    Thing.world = {}
    made = Workbench(database_url, [Thing])
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


def test_what_is_gone_is_made_anew(bench: Workbench) -> None:
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
