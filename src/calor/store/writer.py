"""One thread writes, in batches: whatever has come in while a transaction ran goes into the next one.

Hundreds of small changes then cost one commit. Each change of a running stack carries the lease it was made
under; a batch is checked against the leases in the same transaction, and a stale change is refused. What fails for
a reason that passes, such as a database that is started again, is tried again.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, Table, bindparam, select

from calor.observe.series import WRITER_BATCH, WRITER_QUEUE, WRITER_SECONDS
from calor.store import sealing
from calor.store.database import reading
from calor.store.outages import LONGEST_PAUSE, is_passing, pauses
from calor.store.tables import event, lease, stack

log = logging.getLogger(__name__)

MOST_IDS = 500
"""How many rows one statement deletes at most."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to walk a stack."""

    stack: str
    owner: str
    epoch: int


class Stale(Exception):
    """The lease under which a change was made has passed to another owner."""


@dataclass(slots=True)
class Changes:
    """Rows to write together. New rows of one table are sent in one statement, in the order they were added; of what
    is said of a row several times, the last counts."""

    lease: Lease | None = None
    sealed: bool = False
    """Whether the rows are those of a sealed stack."""
    after: Future[None] | None = None
    """Other changes without which these are not written."""
    inserts: dict[Table, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    updates: dict[Table, dict[str, dict[str, Any]]] = field(default_factory=lambda: defaultdict(dict))
    deletes: dict[Table, list[str]] = field(default_factory=lambda: defaultdict(list))
    work: list[Callable[[Connection], None]] = field(default_factory=list)

    def insert(self, table: Table, **row: Any) -> None:
        self.inserts[table].append(row)

    def update(self, table: Table, id: str, **values: Any) -> None:
        """Changes the row with that id."""
        row = self.updates[table].setdefault(id, {"_id": id})
        row.update(values)

    def delete(self, table: Table, id: str) -> None:
        self.deletes[table].append(id)

    def then(self, work: Callable[[Connection], None]) -> None:
        """Something else to do in the same transaction, after the rows."""
        self.work.append(work)

    def __bool__(self) -> bool:
        return bool(self.inserts or self.updates or self.deletes or self.work)


class Writer:
    """The writing thread of a process. `patience` is how many seconds it keeps trying while the database is away;
    None is for ever."""

    def __init__(self, engine: Engine, largest_batch: int = 2000, patience: float | None = 5.0) -> None:
        self._engine = engine
        self._patience = patience
        self._largest = largest_batch
        self._queue: queue.SimpleQueue[tuple[Changes, Future[None]] | None] = queue.SimpleQueue()
        WRITER_QUEUE.ask(self, Writer._waiting)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, changes: Changes) -> Future[None]:
        """Writes soon; the future is done when the changes are committed."""
        future: Future[None] = Future()
        self._queue.put((changes, future))
        return future

    def write(self, changes: Changes) -> None:
        """Writes now. Raises Stale."""
        self.submit(changes).result()

    def close(self) -> None:
        """Writes what is waiting and ends the thread."""
        self._queue.put(None)
        self._thread.join()

    def _waiting(self) -> int:
        return self._queue.qsize()

    def _run(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            batch = [first]
            last = False
            while len(batch) < self._largest:
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
                if item is None:
                    last = True
                    break
                batch.append(item)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list[tuple[Changes, Future[None]]], unsure: bool = False) -> None:
        """`unsure` if the batch may have been committed before, and only the answer was lost."""
        started = time.monotonic()
        batch = list(_with_ground(batch))
        for pause in pauses() if batch else ():
            committing = False
            try:
                if unsure and not (batch := self._unwritten(batch)):
                    return
                with self._engine.begin() as connection:
                    stale = self._stale(connection, [changes for changes, _ in batch])
                    valid = [changes for changes, _ in batch if changes.lease not in stale]
                    _await_turn(connection, valid)
                    for changes in valid:
                        apply(connection, changes)
                    committing = True
            except Exception as error:
                unsure = unsure or committing
                if is_passing(error):
                    if self._patience is None or time.monotonic() - started < self._patience:
                        _tell(error, pause)
                        time.sleep(pause)
                        continue
                    _fail(batch, error)
                elif len(batch) > 1:
                    # One bad change must not take the others with it.
                    for one in batch:
                        self._commit([one], unsure)
                else:
                    _fail(batch, error)
                return
            WRITER_BATCH.observe(len(batch))
            WRITER_SECONDS.observe(time.monotonic() - started)
            for changes, future in batch:
                if changes.lease in stale:
                    future.set_exception(Stale(changes.lease))
                else:
                    future.set_result(None)
            return

    def _unwritten(self, batch: list[tuple[Changes, Future[None]]]) -> list[tuple[Changes, Future[None]]]:
        """What is left of a batch whose commit was not answered: those changes whose rows are not there. Changes that
        add no rows are made again, which makes no difference."""
        left = []
        with reading(self._engine).connect() as connection:
            for changes, future in batch:
                if _is_written(connection, changes):
                    future.set_result(None)
                else:
                    left.append((changes, future))
        return left

    @staticmethod
    def _stale(connection: Connection, changes: Iterable[Changes]) -> set[Lease | None]:
        held = {one.lease for one in changes if one.lease is not None}
        if not held:
            return set()
        query = select(lease.c.stack, lease.c.owner, lease.c.epoch).where(
            lease.c.stack.in_([one.stack for one in held])
        )
        if connection.dialect.name != "sqlite":
            # Nobody may take the lease away between this look and the commit. Whoever locks several takes them
            # in this order.
            query = query.order_by(lease.c.stack).with_for_update(read=True)
        valid = {Lease(*row) for row in connection.execute(query)}
        return set(held - valid)


_LASTING = ("stack", "project", "name", "resource", "created_at", "at")
"""Columns that keep the values with which a row is added."""


def _is_written(connection: Connection, changes: Changes) -> bool:
    """Whether the rows that changes add are in the database. One with the same id, or with another value that is to be
    unique, may be somebody else's."""
    added = [(table, row) for table, rows in changes.inserts.items() for row in rows if "id" in row]
    return bool(added) and all(_is_there(connection, table, row) for table, row in added)


def _is_there(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    names = [name for name in _LASTING if name in row]
    columns: list[Any] = [table.c.id, *(table.c[name] for name in names)]
    found = connection.execute(select(*columns).where(table.c.id == row["id"])).one_or_none()
    return found is not None and list(found[1:]) == [row[name] for name in names]


def _await_turn(connection: Connection, batch: Iterable[Changes]) -> None:
    """Who numbers events of a tree of stacks keeps others from it until the commit: who has read an event would never
    look for one with a lower number. SQLite has one writer at a time."""
    if connection.dialect.name == "sqlite":
        return
    roots = {row["root"] for one in batch for row in one.inserts.get(event, ())}
    roots |= {one.lease.stack for one in batch if one.lease is not None}
    if roots:
        query = select(stack.c.id).where(stack.c.id.in_(roots)).order_by(stack.c.id)
        connection.execute(query.with_for_update())


def _with_ground(
    batch: Iterable[tuple[Changes, Future[None]]],
) -> Iterator[tuple[Changes, Future[None]]]:
    """Those whose predecessors were not refused; the others are, for the same reason."""
    for changes, future in batch:
        before = changes.after
        refused = before.exception() if before is not None and before.done() else None
        if refused is None:
            yield changes, future
        else:
            future.set_exception(refused)


def _fail(batch: Iterable[tuple[Changes, Future[None]]], error: Exception) -> None:
    for _, future in batch:
        future.set_exception(error)


def _tell(error: Exception, pause: float) -> None:
    if pause >= LONGEST_PAUSE:
        log.warning("what is to be written waits for the database: %s", type(error).__name__)


def _alike(
    updates: Mapping[Table, Mapping[str, dict[str, Any]]],
) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """Rows whose same columns change, which one statement does."""
    for table, rows in updates.items():
        groups: dict[frozenset[str], list[dict[str, Any]]] = defaultdict(list)
        for row in rows.values():
            groups[frozenset(row)].append(row)
        for group in groups.values():
            yield table, group


def apply(connection: Connection, changes: Changes) -> None:
    """Writes changes within a transaction."""
    for table, rows in changes.inserts.items():
        rows = sealing.protect(connection, table, rows, changes.sealed)
        connection.execute(table.insert(), rows)
    for table, rows in _alike(changes.updates):
        rows = sealing.protect(connection, table, rows, changes.sealed)
        values: dict[str, Any] = {name: bindparam(name) for name in rows[0] if name != "_id"}
        connection.execute(table.update().where(table.c.id == bindparam("_id")).values(values), rows)
    for table, ids in changes.deletes.items():
        for start in range(0, len(ids), MOST_IDS):
            connection.execute(table.delete().where(table.c.id.in_(ids[start : start + MOST_IDS])))
    for work in changes.work:
        work(connection)
