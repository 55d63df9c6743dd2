"""Changes are written exactly once, whatever happens to the connection."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, select
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from calor.store import database, schema, tables
from calor.store.outages import is_transient
from calor.store.writer import Changes, Writer
from tests.support.databases import DatabaseServer
from tests.support.server import PATIENCE

ROW = {
    "stack": "s",
    "root": "s",
    "resource": "r",
    "type": "T",
    "action": "CREATE",
    "status": "COMPLETE",
    "reason": "",
    "at": 0.0,
}


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = database.connect(database_url)
    schema.upgrade(made)
    yield made
    made.dispose()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    made = Writer(engine)
    yield made
    made.close()


def an_event(id: str) -> Changes:
    changes = Changes()
    changes.insert(tables.event, id=id, **ROW)
    return changes


def ids(engine: Engine) -> list[str]:
    with database.reading(engine).connect() as connection:
        return list(connection.execute(select(tables.event.c.id).order_by(tables.event.c.seq)).scalars())


def lost() -> OperationalError:
    return OperationalError("COMMIT", {}, Exception(), connection_invalidated=True)


def test_a_commit_whose_answer_is_lost_is_not_written_twice(
    engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = engine.dialect.do_commit
    losses = [True]

    def losing(connection: Any) -> None:
        commit(connection)
        if losses:
            losses.pop()
            raise lost()

    monkeypatch.setattr(engine.dialect, "do_commit", losing)

    writer.write(an_event("1"))
    writer.write(an_event("2"))

    assert not losses
    assert ids(engine) == ["1", "2"]


def test_a_row_of_somebody_else_is_not_taken_for_ones_own(
    engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost before the commit, and somebody else is faster with the same id."""
    commit = engine.dialect.do_commit
    losses = [True]

    def losing(connection: Any) -> None:
        if losses:
            losses.pop()
            connection.rollback()
            with engine.connect() as other, other.begin():
                other.execute(tables.event.insert().values(id="1", **{**ROW, "at": 1.0}))
            raise lost()
        commit(connection)

    monkeypatch.setattr(engine.dialect, "do_commit", losing)

    with pytest.raises(IntegrityError):
        writer.write(an_event("1"))

    writer.write(an_event("2"))
    assert ids(engine) == ["1", "2"]


def test_a_name_conflict_is_reported(engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = engine.dialect.do_commit
    losses = [True]

    def losing(connection: Any) -> None:
        if losses:
            losses.pop()
            connection.rollback()
            with engine.connect() as other, other.begin():
                other.execute(tables.stack.insert().values(a_stack("theirs")))
            raise lost()
        commit(connection)

    monkeypatch.setattr(engine.dialect, "do_commit", losing)
    changes = Changes()
    changes.insert(tables.stack, **a_stack("mine"))

    with pytest.raises(IntegrityError):
        writer.write(changes)


def a_stack(id: str) -> dict[str, Any]:
    return {
        "id": id,
        "root": id,
        "name": "web",
        "project": "p",
        "action": "CREATE",
        "status": "IN_PROGRESS",
        "created_at": 1.0,
        "definition": "d",
        "tags": [],
        "run_id": "r",
        "run": {},
    }


def test_what_fails_for_a_passing_reason_is_tried_again(engine: Engine, writer: Writer) -> None:
    failures = [lost(), lost()]

    def fail(*_: Any) -> None:
        if failures:
            raise failures.pop()

    event.listen(engine, "begin", fail)

    writer.write(an_event("1"))

    assert not failures
    assert ids(engine) == ["1"]


def test_a_writer_without_patience_fails(engine: Engine) -> None:
    def fail(*_: Any) -> None:
        raise lost()

    event.listen(engine, "begin", fail)
    writer = Writer(engine, patience=0.0)

    with pytest.raises(OperationalError):
        writer.write(an_event("1"))
    writer.close()


def test_one_bad_change_does_not_take_others_with_it(engine: Engine, writer: Writer) -> None:
    writer.write(an_event("1"))
    with engine.begin():
        # SQLite lets nobody write meanwhile, so that these come in one batch there.
        futures = [writer.submit(an_event(id)) for id in ("2", "1", "3")]

    with pytest.raises(IntegrityError):
        futures[1].result()
    futures[2].result()
    assert ids(engine) == ["1", "2", "3"]


def test_a_suspended_writer_does_not_block_others(
    database_server: DatabaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = database_server.prepared()
    monkeypatch.setattr(database, "STANDSTILL", 1)
    sleeper, other = database.connect(url), database.connect(url)
    reworded = tables.event.update().where(tables.event.c.id == "1")
    writer = Writer(other)
    writer.write(an_event("1"))
    writer.close()

    with sleeper.connect() as connection:
        connection.execute(reworded.values(reason="sleeping"))
        with other.begin() as awake:
            awake.execute(reworded.values(reason="awake"))
        with pytest.raises(DBAPIError) as stop:
            connection.execute(reworded.values(reason="late"))

    assert is_transient(stop.value)
    with other.connect() as connection:
        assert connection.execute(select(tables.event.c.reason)).scalars().all() == ["awake"]
    sleeper.dispose()
    other.dispose()


def test_writers_that_meet_on_the_same_rows_all_get_through(engine: Engine) -> None:
    """They lock rows in opposite orders: databases end one of two that wait for each other."""
    with engine.begin() as connection:
        for id in ("a", "b"):
            connection.execute(tables.event.insert().values(id=id, **ROW))
    writers = [Writer(engine), Writer(engine)]

    def write(writer: Writer, order: tuple[str, str]) -> None:
        for number in range(30):
            changes = Changes()
            for id in order:
                changes.update(tables.event, id, **{"reason" if id == order[0] else "type": str(number)})
            writer.write(changes)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, writers, [("a", "b"), ("b", "a")]))
    for writer in writers:
        writer.close()

    with database.reading(engine).connect() as connection:
        rows = connection.execute(select(tables.event.c.reason, tables.event.c.type)).all()
    assert rows == [("29", "29"), ("29", "29")]


def test_of_what_is_said_of_a_row_the_last_counts(engine: Engine, writer: Writer) -> None:
    first, second, third = an_event("1"), an_event("2"), Changes()
    writer.write(first)
    writer.write(second)
    third.update(tables.event, "1", status="COMPLETE", reason="done")
    third.update(tables.event, "2", status="IN_PROGRESS", action="UPDATE", reason="begun")
    third.update(tables.event, "2", status="COMPLETE", reason="done")

    writer.write(third)

    with database.reading(engine).connect() as connection:
        table = tables.event
        rows = connection.execute(
            select(table.c.action, table.c.status, table.c.reason).order_by(table.c.seq)
        )
        assert [tuple(row) for row in rows] == [
            ("CREATE", "COMPLETE", "done"),
            ("UPDATE", "COMPLETE", "done"),
        ]


def test_a_task_that_stops_waiting_does_not_keep_others_from_writing(engine: Engine, writer: Writer) -> None:
    async def stop_waiting() -> None:
        held = threading.Event()
        writer.submit(taking_until(held))
        waiting = asyncio.ensure_future(wait_for(writer.submit(an_event("left"))))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        held.set()

    async def wait_for(written: Future[None]) -> None:
        await asyncio.wrap_future(written)

    asyncio.run(stop_waiting())
    writer.submit(an_event("next")).result(PATIENCE)
    assert ids(engine) == ["left", "next"]


def taking_until(over: threading.Event) -> Changes:
    def wait(connection: Connection) -> None:
        over.wait(PATIENCE)

    changes = Changes()
    changes.then(wait)
    return changes
