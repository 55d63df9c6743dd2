"""Resources that fail while their properties are evaluated: no request is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest

from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from tests.support.workbench import Workbench, template


class Outside(ResourceType, extends=True):
    type_name = "Test::Outside"
    properties = {"size": Property(int, required=True)}
    made: ClassVar[set[int]] = set()

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        cls.made.add(props["size"])
        ctx.set_physical_id(str(props["size"]))

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        return ctx.properties["size"] in cls.made

    @classmethod
    async def before_replace(cls, ctx: Context) -> None:
        assert ctx.properties["size"]

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        cls.made.discard(ctx.properties["size"])


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    Outside.made = set()
    made = Workbench(database_url, [Outside])
    yield made
    made.close()


def sized(size: str) -> dict[str, Any]:
    return template(
        {
            "late": {"type": "OS::Heat::TestResource", "properties": {"value": size}},
            "a": {"type": "Test::Outside", "properties": {"size": {"get_attr": ["late", "output"]}}},
        }
    )


def test_its_stack_can_be_deleted(bench: Workbench) -> None:
    stack = bench.create(sized("many"))
    assert bench.wait(stack).state == "CREATE_FAILED"

    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"


def test_it_is_created_once_the_template_is_fixed(bench: Workbench) -> None:
    stack = bench.create(sized("many"))
    assert bench.wait(stack).state == "CREATE_FAILED"

    bench.update(stack, sized("3"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Outside.made == {3}
