"""A failed resource whose object is healthy is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from calor.store import records
from tests.support.workbench import Probe, Workbench, template


class Sturdy(Probe, extends=True):
    """A probe that can be kept although something failed, as long as it is well."""

    type_name = "Test::Sturdy"
    well: ClassVar[bool] = True

    @classmethod
    async def find(cls, ctx: Any) -> bool:
        cls.note(ctx, "find", ctx.action)
        return ctx.physical_id is not None

    @classmethod
    async def is_healthy(cls, ctx: Any) -> bool:
        return cls.well


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    Sturdy.well = True
    made = Workbench(database_url, [Sturdy])
    yield made
    made.close()


def sturdy(value: str, fails: str = "", **more: Any) -> dict[str, Any]:
    return template({"a": {"type": "Test::Sturdy", "properties": {"value": value, "fails": fails, **more}}})


def failed(bench: Workbench, state: str = "UPDATE_FAILED") -> tuple[records.Stack, str | None]:
    """A stack whose resource has failed, and the resource's id."""
    stack = bench.create(sturdy("1", "create" if state == "CREATE_FAILED" else ""))
    bench.wait(stack)
    if state == "UPDATE_FAILED":
        bench.update(stack, sturdy("2", "update"))
    assert bench.wait(stack).state == state
    return stack, bench.resources(stack)["a"].physical_id


def test_a_failed_update_is_repaired_in_place(bench: Workbench) -> None:
    stack, before = failed(bench)
    bench.update(stack, sturdy("3"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["a"].physical_id == before
    assert Probe.journal[-1] == ("update", "a", "3")


def test_a_failed_update_is_done_again_although_nothing_else_changes(bench: Workbench) -> None:
    stack, before = failed(bench)
    bench.update(stack, sturdy("1"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["a"].physical_id == before


def test_what_is_not_well_is_replaced(bench: Workbench) -> None:
    stack, before = failed(bench)
    Sturdy.well = False
    bench.update(stack, sturdy("3"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["a"].physical_id != before


def test_a_failed_creation_is_completed(bench: Workbench) -> None:
    stack, before = failed(bench, "CREATE_FAILED")
    bench.update(stack, sturdy("3"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert bench.resources(stack)["a"].physical_id == before
    assert Probe.journal[-2:] == [("find", "a", "CREATE"), ("update", "a", "3")]


def test_what_may_not_be_replaced_is_not_although_it_is_ill(bench: Workbench) -> None:
    stack, before = failed(bench)
    Sturdy.well = False
    restricted = {"resource_registry": {"resources": {"a": {"restricted_actions": "replace"}}}}
    bench.update(stack, sturdy("3"), environment=restricted)

    assert bench.wait(stack).state == "UPDATE_FAILED"
    row = bench.resources(stack)["a"]
    assert row.physical_id == before
    assert bench.reasons(stack, "a")[-1] == "replace is restricted for resource."
