"""Runs that keep failing with unexpected errors end as FAILED."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from sqlalchemy import select

from calor.engine.keeping import retries
from calor.engine.keeping.keeper import Keeper
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.store import database, tables
from tests.support.workbench import CALLER, Workbench, probe, template

HALF_A_CHARACTER = "\ud800"


class Unwritable(ResourceType, extends=True):
    """Notes what no database takes."""

    type_name = "Test::Unwritable"
    properties = {"value": Property(str, default="")}

    @classmethod
    def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        ctx.set_physical_id(HALF_A_CHARACTER)

    @classmethod
    def signal(cls, ctx: Context, details: Any) -> str:
        ctx.set_physical_id(HALF_A_CHARACTER)
        return "noted"


class Signalled(Unwritable):
    type_name = "Test::Signalled"
    create = None  # type: ignore[assignment]


@pytest.fixture
def bench(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setattr(retries, "FIRST_PAUSE", 0.01)
    made = Workbench(database_url, [Unwritable, Signalled])
    yield made
    made.close()


def leases(bench: Workbench) -> list[Any]:
    with database.reading(bench.database).connect() as connection:
        return list(connection.execute(select(tables.lease)))


def signals(bench: Workbench) -> list[Any]:
    with database.reading(bench.database).connect() as connection:
        return list(connection.execute(select(tables.inbox)))


def test_an_action_that_cannot_be_written_down_fails_in_the_end(bench: Workbench) -> None:
    stack = bench.create(template({"a": {"type": "Test::Unwritable"}}))

    ended = bench.wait(stack)

    assert ended.state == "CREATE_FAILED"
    assert ended.reason.startswith("The engine failed repeatedly: ")
    bench.delete(stack)
    assert bench.wait(stack).state == "DELETE_COMPLETE"


def test_others_are_not_held_up(bench: Workbench) -> None:
    bench.create(template({"a": {"type": "Test::Unwritable"}}), "broken")

    assert bench.wait(bench.create(template({"a": probe("1")}), "sound")).state == "CREATE_COMPLETE"


@pytest.mark.extended
def test_a_signal_that_cannot_be_written_down_is_given_up(bench: Workbench) -> None:
    stack = bench.create(template({"a": {"type": "Test::Signalled"}}))
    assert bench.wait(stack).state == "CREATE_COMPLETE"

    bench.commands.resources.signal(CALLER, bench.stack(stack.id), bench.resources(stack)["a"], {})

    bench.until(lambda: not signals(bench) and not leases(bench))
    assert bench.stack(stack.id).state == "CREATE_COMPLETE"


def test_what_another_engine_has_done_meanwhile_is_not_done_again(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.until(lambda: not leases(bench))
    late = Keeper(bench.database, bench.world, bench.writer)

    assert late._claim([stack.id]) == []
    assert leases(bench) == []
