"""Purges old events, deleted stacks, and unreferenced documents.

Rows are deleted in small batches, each in its own transaction, with pauses, so that writers wait for one batch at most.
It is safe to stop at any point, and to run several cleaners at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, case, delete, func, select, text

from calor.store import contents, tables
from calor.store.database import reading

FIRST_SECONDS = 30.0
PAUSE_SECONDS = 0.02

log = logging.getLogger(__name__)

event, stack, content = tables.event, tables.stack, tables.content


@dataclass(frozen=True, slots=True)
class Retention:
    """How many seconds, and how many, rows are kept; None is unlimited."""

    event_age: float | None = None
    events_per_stack: int | None = None
    deleted_stack_age: float | None = None
    batch: int = 1000
    project: str | None = None
    """Purges deleted stacks of this project only; None means all."""


class Cleaner:
    def __init__(
        self,
        database: Engine,
        retention: Retention,
        clock: Callable[[], float] = time.time,
        pause: float = PAUSE_SECONDS,
    ) -> None:
        self._database = database
        self._source = reading(database)
        self._retention = retention
        self._clock = clock
        self._pause = pause

    async def run(self, interval: float) -> None:
        """Cleans periodically until cancelled."""
        loop = asyncio.get_running_loop()
        wait = min(FIRST_SECONDS, interval)
        while True:
            await asyncio.sleep(wait)
            wait = interval
            steps = self.steps()
            try:
                while await loop.run_in_executor(None, next, steps, None) is not None:
                    await asyncio.sleep(self._pause)
            except Exception:
                log.exception("purging failed; it is retried in %s seconds", interval)

    def clean(self) -> None:
        """Cleans once, without pauses."""
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[int]:
        """Each step is one transaction; yields the number of deleted rows."""
        yield from self._old_events()
        yield from self._many_events()
        yield from self._dead_stacks()
        yield from self._unused_contents()

    # Events.

    def _old_events(self) -> Iterator[int]:
        """Events are numbered in order, so the oldest come first, and no index on the time is needed."""
        if self._retention.event_age is None:
            return
        oldest = self._clock() - self._retention.event_age
        query = select(event.c.seq, event.c.at).order_by(event.c.seq).limit(self._retention.batch)
        while True:
            old = [row.seq for row in self._rows(query) if row.at < oldest]
            if not old:
                return
            yield self._drop_events(old)

    def _many_events(self) -> Iterator[int]:
        allowed = self._retention.events_per_stack
        if allowed is None:
            return
        crowded = select(event.c.stack).group_by(event.c.stack).having(func.count() > allowed)
        for (id,) in self._rows(crowded):
            newest_first = select(event.c.seq).where(event.c.stack == id).order_by(event.c.seq.desc())
            last = self._rows(newest_first.offset(allowed).limit(1))
            if last:
                yield from self._events_of(id, last[0][0])

    def _events_of(self, id: str, last: int | None = None) -> Iterator[int]:
        query = select(event.c.seq).where(event.c.stack == id).order_by(event.c.seq)
        if last is not None:
            query = query.where(event.c.seq <= last)
        while found := [seq for (seq,) in self._rows(query.limit(self._retention.batch))]:
            yield self._drop_events(found)

    def _drop_events(self, numbers: list[int]) -> int:
        with self._database.begin() as connection:
            connection.execute(delete(event).where(event.c.seq.in_(numbers)))
        return len(numbers)

    # Deleted stacks.

    def _dead_stacks(self) -> Iterator[int]:
        if self._retention.deleted_stack_age is None:
            return
        oldest = self._clock() - self._retention.deleted_stack_age
        # Credentials belong to the whole tree.
        own = case((stack.c.parent.is_(None), stack.c.credentials))
        query = select(stack.c.id, own.label("credentials")).where(stack.c.deleted_at < oldest)
        if self._retention.project is not None:
            query = query.where(stack.c.project == self._retention.project)
        for row in self._rows(query):
            yield from self._events_of(row.id)
            with self._database.begin() as connection:
                _drop_stack(connection, row.id, row.credentials)
            yield 1

    # Documents.

    def _unused_contents(self) -> Iterator[int]:
        """Finds unreferenced documents without locks, and checks again before deleting them, as a new request may refer
        to them."""
        references = _References()
        with self._source.connect() as connection:
            stored = set(connection.execute(select(content.c.digest)).scalars())
            unused = sorted(stored - references.now(connection))
        for start in range(0, len(unused), self._retention.batch):
            some = unused[start : start + self._retention.batch]
            with self._database.begin() as connection:
                _hold(connection, some)
                gone = sorted(set(some) - references.now(connection))
                connection.execute(delete(content).where(content.c.digest.in_(gone)))
            yield len(gone)

    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with self._source.connect() as connection:
            return connection.execute(query).all()


def _drop_stack(connection: Connection, id: str, credentials: str | None) -> None:
    for table in (
        tables.resource,
        tables.snapshot,
        tables.inbox,
        tables.lease,
        tables.suspicion,
        tables.tag,
    ):
        connection.execute(delete(table).where(table.c.stack == id))
    if credentials is not None:
        connection.execute(delete(tables.credentials).where(tables.credentials.c.id == credentials))
    connection.execute(delete(stack).where(stack.c.id == id))


class _References:
    """The documents that stacks and snapshots refer to. Definitions and snapshots never change and are cached, so that
    the second check is fast."""

    def __init__(self) -> None:
        self._named: dict[str, set[str]] = {}
        self._snapshots: dict[str, str | None] = {}

    def now(self, connection: Connection) -> set[str]:
        used = self._definitions(connection)
        for some in _parts(used - self._named.keys()):
            for digest, document in contents.get(connection, some).items():
                self._named[digest] = set(_named(document))
        return used.union(*(self._named.get(digest, set()) for digest in used))

    def _definitions(self, connection: Connection) -> set[str]:
        found: set[str] = set()
        for column in (stack.c.definition, stack.c.previous, tables.resource.c.definition):
            query = select(column).where(column.is_not(None)).distinct()
            found.update(connection.execute(query).scalars())
        snapshot = tables.snapshot
        ids = set(connection.execute(select(snapshot.c.id)).scalars())
        for some in _parts(ids - self._snapshots.keys()):
            query = select(snapshot.c.id, snapshot.c.data).where(snapshot.c.id.in_(some))
            for id, data in connection.execute(query):
                # An unfinished snapshot has no data yet.
                if data:
                    self._snapshots[id] = data.get("_definition")
        found.update(digest for id in ids if (digest := self._snapshots.get(id)) is not None)
        return found


def _parts(names: set[str], size: int = 500) -> Iterator[list[str]]:
    listed = sorted(names)
    for start in range(0, len(listed), size):
        yield listed[start : start + size]


def _named(document: object) -> Iterable[str]:
    if isinstance(document, dict) and isinstance(document.get("files"), dict) and "template" in document:
        yield document["template"]
        yield from document["files"].values()


def _hold(connection: Connection, digests: list[str]) -> None:
    """Locks documents against transactions that store them; SQLite's write transactions do so anyway."""
    if connection.dialect.name == "postgresql":
        # Storing an existing document locks no row, so lock the table.
        connection.execute(text("LOCK TABLE content IN SHARE ROW EXCLUSIVE MODE"))
    elif connection.dialect.name != "sqlite":
        connection.execute(select(content.c.digest).where(content.c.digest.in_(digests)).with_for_update())
