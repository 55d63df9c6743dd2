"""Leases: which engine may work on a stack, and what happens when one is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, insert, literal, select
from sqlalchemy.exc import IntegrityError

from calor.engine.run.journal import Journal
from calor.stacks.states import ResourceState
from calor.store import database, leases, schema, tables
from calor.store.database import STANDSTILL
from calor.store.leases import LEASE_SECONDS, MARGIN_SECONDS, Leases
from calor.store.writer import Lease, Stale, Writer, apply
from tests.support.databases import DatabaseServer


class Clocks:
    """The clock of the machine, which only goes on, and the one of the database, which somebody may set."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.ahead = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(leases, "now", lambda: literal(made.seconds + made.ahead))
    return made


@pytest.fixture
def owners(rows: Engine, clocks: Clocks) -> tuple[Leases, Leases]:
    return Leases(rows, "first", clock=clocks), Leases(rows, "second", clock=clocks)


@pytest.fixture
def rows(database_url: str) -> Iterator[Engine]:
    made = database.connect(database_url)
    schema.upgrade(made)
    yield made
    made.dispose()


def _release(rows: Engine, owner: Leases, lease: Lease) -> None:
    with rows.begin() as connection:
        apply(connection, owner.release(lease))


def test_one_owner_at_a_time(rows: Engine, owners: tuple[Leases, Leases]) -> None:
    first, second = owners
    held = first.claim("s")
    assert held is not None

    assert second.claim("s") is None

    _release(rows, first, held)
    assert second.claim("s") is not None


def test_several_leases_are_claimed_at_once_but_for_those_of_others(
    rows: Engine, owners: tuple[Leases, Leases], clocks: Clocks
) -> None:
    first, second = owners
    taken = second.claim("b")
    assert taken is not None

    held = first.claim_all(["c", "a", "b", "a"])

    assert {lease.stack for lease in held} == {"a", "c"}
    assert all(first.holds(lease) for lease in held)
    assert second.claim_all(["a", "b", "c"]) == [Lease("b", "second", taken.epoch + 1)]


def test_those_that_another_owner_claims_at_the_same_time_are_claimed_once(rows: Engine) -> None:
    stacks = [f"s{number}" for number in range(40)]
    several = [Leases(rows, f"owner-{number}") for number in range(4)]

    with ThreadPoolExecutor() as threads:
        held = [
            lease for claimed in threads.map(lambda one: one.claim_all(stacks), several) for lease in claimed
        ]

    assert sorted(lease.stack for lease in held) == sorted(stacks)


def test_an_owner_that_hears_nothing_stops_before_another_begins(
    owners: tuple[Leases, Leases], clocks: Clocks
) -> None:
    first, second = owners
    held = first.claim("s")
    assert held is not None
    assert second.watch() == []

    clocks.seconds += LEASE_SECONDS - MARGIN_SECONDS
    assert not first.holds(held)
    assert second.watch() == []
    assert second.claim("s") is None

    clocks.seconds += MARGIN_SECONDS
    assert second.watch() == ["s"]
    assert second.claim("s") is not None


def test_a_new_engine_waits_as_long_as_a_lease_lasts(owners: tuple[Leases, Leases], clocks: Clocks) -> None:
    first, second = owners
    assert first.claim("s") is not None
    clocks.seconds += 100

    assert second.watch() == []
    assert second.claim("s") is None

    clocks.seconds += LEASE_SECONDS
    assert second.watch() == ["s"]
    assert second.claim("s") is not None


def test_an_engine_suspended_after_the_check_takes_no_renewed_lease(
    owners: tuple[Leases, Leases], clocks: Clocks
) -> None:
    first, second = owners
    held = first.claim("s")
    second.watch()
    clocks.seconds += LEASE_SECONDS - MARGIN_SECONDS - 0.1
    first.extend()

    clocks.seconds += LEASE_SECONDS - MARGIN_SECONDS - 0.1

    assert held is not None
    assert first.holds(held)
    assert second.claim("s") is None


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_clock_that_is_set_gives_no_stack_two_owners(
    owners: tuple[Leases, Leases], clocks: Clocks, jump: float
) -> None:
    first, second = owners
    held = first.claim("s")
    assert held is not None
    second.watch()

    clocks.ahead = jump
    clocks.seconds += 1

    assert second.watch() == []
    assert second.claim("s") is None
    assert first.extend() == {held}
    assert first.holds(held)


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_clock_that_is_set_does_not_keep_a_stack_of_an_owner_that_is_gone(
    owners: tuple[Leases, Leases], clocks: Clocks, jump: float
) -> None:
    first, second = owners
    first.claim("s")
    second.watch()

    clocks.ahead = jump
    clocks.seconds += LEASE_SECONDS

    assert second.watch() == ["s"]
    assert second.claim("s") is not None


def test_an_owner_whose_process_has_ended_is_not_waited_for(rows: Engine, clocks: Clocks) -> None:
    first = Leases(rows, "first", clock=clocks)
    second = Leases(rows, "second", is_dead=lambda owner: owner == "first", clock=clocks)
    first.claim("s")

    assert second.watch() == ["s"]
    assert second.claim("s") is not None


def test_leases_locked_by_a_suspended_process_are_skipped(
    database_server: DatabaseServer, clocks: Clocks
) -> None:
    url = database_server.prepared()
    sleeping, awake = database.connect(url), database.connect(url)
    first, second = Leases(sleeping, "first", clock=clocks), Leases(awake, "second", clock=clocks)
    first.claim("s")
    second.watch()
    clocks.seconds += LEASE_SECONDS

    with sleeping.begin() as connection:
        connection.execute(select(tables.lease).with_for_update())
        began = time.monotonic()
        assert second.claim("s") is None
        assert second.claim("other") is not None
        assert time.monotonic() - began < STANDSTILL

    assert second.claim("s") is not None
    sleeping.dispose()
    awake.dispose()


def test_renewal_keeps_leases_that_were_not_taken_over(owners: tuple[Leases, Leases], clocks: Clocks) -> None:
    first, second = owners
    kept, lost = first.claim("kept"), first.claim("lost")
    assert kept is not None
    assert lost is not None
    second.watch()
    clocks.seconds += LEASE_SECONDS + 1
    second.claim("lost")

    assert first.extend() == {kept}

    assert first.holds(kept)
    assert not first.holds(lost)


def test_leases_come_and_go_while_they_are_renewed(rows: Engine) -> None:
    mine = Leases(rows, "first")
    given_back = []

    def come_and_go(name: str) -> None:
        for number in range(60):
            lease = mine.claim(f"{name}-{number}")
            assert lease is not None
            _release(rows, mine, lease)
            given_back.append(lease)

    with ThreadPoolExecutor() as threads:
        working = [threads.submit(come_and_go, name) for name in ("a", "b")]
        while not all(one.done() for one in working):
            mine.extend()

    assert [one.result() for one in working] == [None, None]
    assert [lease for lease in given_back if mine.holds(lease)] == []


def test_what_is_written_under_a_lease_that_was_lost_is_refused(
    rows: Engine, owners: tuple[Leases, Leases], clocks: Clocks
) -> None:
    first, second = owners
    held = first.claim("s")
    second.watch()
    clocks.seconds += LEASE_SECONDS + 1
    assert second.claim("s") is not None
    writer = Writer(rows)
    journal = Journal(writer, held, time.time)

    journal.resource(ResourceState("r1", "s", "r", "OS::Heat::None"))
    with pytest.raises(Stale):
        asyncio.run(journal.flush())

    writer.close()
    with rows.connect() as connection:
        assert connection.execute(select(tables.resource)).all() == []


def test_a_write_that_failed_is_not_forgotten_over_later_ones(rows: Engine) -> None:
    writer = Writer(rows)
    journal = Journal(writer, None, time.time)
    taken = ResourceState("r1", "s", "r", "OS::Heat::None")
    with rows.begin() as connection:
        connection.execute(insert(tables.resource).values(id="r1", **taken.row()))

    journal.resource(taken)
    journal.send()
    journal.resource(ResourceState("r2", "s", "other", "OS::Heat::None"))

    with pytest.raises(IntegrityError):
        asyncio.run(journal.flush())
    writer.close()
