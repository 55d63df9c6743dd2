"""Who may work on a stack: leases, and what becomes of the work of those who have lost theirs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, insert, literal, select
from sqlalchemy.exc import IntegrityError

from calor.engine import leases
from calor.engine.journal import Journal
from calor.engine.leases import LEASE_SECONDS, Leases
from calor.engine.states import ResourceState
from calor.store import database, schema, tables
from calor.store.writer import Stale, Writer


class Clocks:
    """The clock that all see, and the one of each process."""

    CLOCK_MONOTONIC = CLOCK_BOOTTIME = 0

    def __init__(self) -> None:
        self.seconds = 1000.0

    def clock_gettime(self, clock: int) -> float:
        return self.seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(leases, "time", made)
    monkeypatch.setattr(leases, "now", lambda: literal(made.seconds))
    return made


@pytest.fixture
def rows(database_url: str) -> Iterator[Engine]:
    made = database.connect(database_url)
    schema.upgrade(made)
    yield made
    made.dispose()


def test_one_owner_at_a_time(rows: Engine, clocks: Clocks) -> None:
    first, second = Leases(rows, "first"), Leases(rows, "second")
    held = first.claim("s")
    assert held is not None

    assert second.claim("s") is None

    first.release(held)
    assert second.claim("s") is not None


def test_an_owner_that_hears_nothing_stops_before_another_begins(rows: Engine, clocks: Clocks) -> None:
    first, second = Leases(rows, "first"), Leases(rows, "second")
    held = first.claim("s")
    assert held is not None

    clocks.seconds += LEASE_SECONDS
    assert not first.holds(held)
    assert second.claim("s") is None

    clocks.seconds += 0.1
    assert second.claim("s") is not None


def test_renewal_keeps_what_nobody_has_taken(rows: Engine, clocks: Clocks) -> None:
    first, second = Leases(rows, "first"), Leases(rows, "second")
    kept, lost = first.claim("kept"), first.claim("lost")
    assert kept is not None
    assert lost is not None
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
            mine.release(lease)
            given_back.append(lease)

    with ThreadPoolExecutor() as threads:
        working = [threads.submit(come_and_go, name) for name in ("a", "b")]
        while not all(one.done() for one in working):
            mine.extend()

    assert [one.result() for one in working] == [None, None]
    assert [lease for lease in given_back if mine.holds(lease)] == []


def test_what_is_written_under_a_lease_that_was_lost_is_refused(rows: Engine, clocks: Clocks) -> None:
    first, second = Leases(rows, "first"), Leases(rows, "second")
    held = first.claim("s")
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
