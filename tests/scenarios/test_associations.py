"""Some resources have no object of their own: they join others. Whatever takes the place of one that failed has what
that had, and it stays when the failed one goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest

from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from tests.support.workbench import Workbench, template


class Joint(ResourceType, extends=True):
    type_name = "Test::Joint"
    properties = {"one": Property(str), "other": Property(str), "hint": Property(str, default="")}
    association_properties = ("one", "other")
    joined: ClassVar[set[tuple[str, str]]] = set()
    broken: ClassVar[bool] = False

    @staticmethod
    def _ends(props: Mapping[str, Any]) -> tuple[str, str]:
        return props["one"], props["other"]

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        cls.joined.add(cls._ends(props))
        if cls.broken:
            raise ResourceFailed("told to fail")
        ctx.set_physical_id("-".join(cls._ends(props)))

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        if cls._ends(ctx.properties) not in cls.joined:
            return False
        ctx.set_physical_id("-".join(cls._ends(ctx.properties)))
        return True

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        cls.joined.discard(cls._ends(ctx.properties))


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    Joint.joined, Joint.broken = set(), True
    made = Workbench(database_url, [Joint])
    yield made
    made.close()


def joint(one: str, other: str, hint: str = "") -> dict[str, Any]:
    properties = {"one": one, "other": other, "hint": hint}
    return template({"a": {"type": "Test::Joint", "properties": properties}})


@pytest.mark.parametrize("hint", ["", "another"])
def test_what_is_joined_again_stays_joined_when_the_failed_one_goes(bench: Workbench, hint: str) -> None:
    stack = bench.create(joint("x", "y"))
    assert bench.wait(stack).state == "CREATE_FAILED"
    Joint.broken = False
    bench.update(stack, joint("x", "y", hint))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Joint.joined == {("x", "y")}


def test_what_is_joined_no_more_is_parted(bench: Workbench) -> None:
    stack = bench.create(joint("x", "y"))
    assert bench.wait(stack).state == "CREATE_FAILED"
    Joint.broken = False
    bench.update(stack, joint("x", "z"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Joint.joined == {("x", "z")}


def test_nothing_is_left_of_either_when_the_stack_goes(bench: Workbench) -> None:
    stack = bench.create(joint("x", "y"))
    bench.wait(stack)
    bench.update(stack, joint("x", "y", "another"))
    assert bench.wait(stack).state == "UPDATE_FAILED"
    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert Joint.joined == set()
