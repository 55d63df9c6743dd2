"""Whose something is that a run has made a moment ago."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from calor.engine.cloud_access import Reach
from calor.engine.ledger import Ledger
from calor.engine.states import ResourceState


class Runs(Ledger):
    """Of the database, only the ids that are stored in it."""

    def __init__(self, reach: Reach, *stored: str) -> None:
        super().__init__()
        self.vault = cast(Any, SimpleNamespace(reach=reach))
        self.stored = stored

    def _taken(self, physical_ids: Sequence[str], but: str) -> frozenset[str]:
        return frozenset(self.stored).intersection(physical_ids)


@pytest.fixture
def reach() -> Reach:
    return Reach()


def made(id: str, physical_id: str) -> ResourceState:
    return ResourceState(id, "stack", "name", "Test::Type", physical_id=physical_id)


def taken(run: Runs, *ids: str, but: str) -> set[str]:
    return set(asyncio.run(run.taken(ids, but)))


def test_what_is_stored_is_taken(reach: Reach) -> None:
    assert taken(Runs(reach, "x"), "x", "y", but="a") == {"x"}


def test_what_another_run_has_just_made_is_taken(reach: Reach) -> None:
    Runs(reach).note_maker(made("a", "x"))

    assert taken(Runs(reach), "x", "y", but="b") == {"x"}
    assert taken(Runs(reach), "x", "y", but="a") == set()


def test_what_is_removed_is_nobodys(reach: Reach) -> None:
    run = Runs(reach)
    run.note_maker(made("a", "x"))
    run.forget_maker(made("b", "x"))
    assert taken(run, "x", but="b") == {"x"}
    run.forget_maker(made("a", "x"))
    assert taken(run, "x", but="b") == set()


def test_a_run_that_has_ended_leaves_it_to_the_database(reach: Reach) -> None:
    run = Runs(reach)
    run.note_maker(made("a", "x"))
    run.forget_makers()

    assert reach.makers == {}


def test_two_who_look_for_the_same_do_not_both_get_it(reach: Reach) -> None:
    run = Runs(reach)

    async def find(id: str) -> str:
        free = await run.taken(["x", "y"], id)
        found = next(one for one in ("x", "y") if one not in free)
        run.note_maker(made(id, found))
        return found

    async def both() -> list[str]:
        return await asyncio.gather(find("a"), find("b"))

    assert sorted(asyncio.run(both())) == ["x", "y"]
