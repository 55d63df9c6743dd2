"""Owners of objects that a run has just created."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from calor.clouds.shared_state import SharedState
from calor.engine.run import owner
from calor.engine.run.owner import Owner
from calor.stacks.states import ResourceState


class Runs(Owner):
    """The owner's cloud in a run; of the database, only the ids that are stored in it."""

    def __init__(self, shared: SharedState, *stored: str) -> None:
        unused: Any = None
        vault: Any = SimpleNamespace(shared=shared)
        super().__init__(unused, unused, unused, unused, unused, vault, None)
        self.stored = stored


@pytest.fixture(autouse=True)
def stored_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Owner.ids_in_use

    async def ids_in_use(self: Runs, ids: Sequence[str], but: str) -> frozenset[str]:
        monkeypatch.setattr(
            owner, "physical_ids_in_use", lambda database, ids, but: frozenset(self.stored).intersection(ids)
        )
        return await original(self, ids, but)

    monkeypatch.setattr(Runs, "ids_in_use", ids_in_use)


@pytest.fixture
def shared() -> SharedState:
    return SharedState()


def made(id: str, physical_id: str) -> ResourceState:
    return ResourceState(id, "stack", "name", "Test::Type", physical_id=physical_id)


def taken(run: Runs, *ids: str, but: str) -> set[str]:
    return set(asyncio.run(run.ids_in_use(ids, but)))


def test_a_stored_id_is_in_use(shared: SharedState) -> None:
    assert taken(Runs(shared, "x"), "x", "y", but="a") == {"x"}


def test_an_object_just_created_by_another_run_is_in_use(shared: SharedState) -> None:
    Runs(shared).register_object(made("a", "x"))

    assert taken(Runs(shared), "x", "y", but="b") == {"x"}
    assert taken(Runs(shared), "x", "y", but="a") == set()


def test_a_removed_object_is_unclaimed(shared: SharedState) -> None:
    run = Runs(shared)
    run.register_object(made("a", "x"))
    run.unregister_object(made("b", "x"))
    assert taken(run, "x", but="b") == {"x"}
    run.unregister_object(made("a", "x"))
    assert taken(run, "x", but="b") == set()


def test_a_run_that_has_ended_leaves_it_to_the_database(shared: SharedState) -> None:
    run = Runs(shared)
    run.register_object(made("a", "x"))
    run.unregister_all()

    assert shared.owners == {}


def test_two_runs_cannot_both_claim_an_object(shared: SharedState) -> None:
    run = Runs(shared)

    async def find(id: str) -> str:
        free = await run.ids_in_use(["x", "y"], id)
        found = next(one for one in ("x", "y") if one not in free)
        run.register_object(made(id, found))
        return found

    async def both() -> list[str]:
        return await asyncio.gather(find("a"), find("b"))

    assert sorted(asyncio.run(both())) == ["x", "y"]
