"""A thread that writes changes in batches: those submitted during a transaction go into the next one.

Hundreds of small changes then cost one commit. Each change of a run carries its lease; the leases of a batch are
checked in the same transaction, and stale changes are rejected. After transient errors, such as a restart of the
database, writing is retried.
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
from calor.store import statements
from calor.store.database import reading
from calor.store.outages import LONGEST_PAUSE, is_transient, pauses
from calor.store.sealing import Values
from calor.store.statements import ROW_ID
from calor.store.tables import event, lease, stack

log = logging.getLogger(__name__)

_LEASES = select(lease.c.stack, lease.c.owner, lease.c.epoch).where(
    lease.c.stack.in_(bindparam("stacks", expanding=True))
)
# Locks the leases until the commit, in the same order everywhere.
_LOCKED_LEASES = _LEASES.order_by(lease.c.stack).with_for_update(read=True)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a stack."""

    stack: str
    owner: str
    epoch: int


class Stale(Exception):
    """The lease of a change has passed to another owner."""


@dataclass(slots=True)
class Changes:
    """Rows to write in one transaction. New rows of a table are sent in one statement, in order; the last update of a
    row wins."""

    lease: Lease | None = None
    sealed: bool = False
    """Whether the rows belong to a sealed stack."""
    after: Future[None] | None = None
    """Earlier changes; if they fail, these are not written."""
    inserts: dict[Table, list[Values]] = field(default_factory=lambda: defaultdict(list))
    updates: dict[Table, dict[str, Values]] = field(default_factory=lambda: defaultdict(dict))
    deletes: dict[Table, list[str]] = field(default_factory=lambda: defaultdict(list))
    work: list[Callable[[Connection], None]] = field(default_factory=list)

    def insert(self, table: Table, **row: object) -> None:
        self.inserts[table].append(row)

    def update(self, table: Table, id: str, **values: object) -> None:
        """Updates the row with an id."""
        row = self.updates[table].setdefault(id, {ROW_ID: id})
        row.update(values)

    def delete(self, table: Table, id: str) -> None:
        self.deletes[table].append(id)

    def then(self, work: Callable[[Connection], None]) -> None:
        """Adds work for the same transaction, after the rows."""
        self.work.append(work)

    def __bool__(self) -> bool:
        return bool(self.inserts or self.updates or self.deletes or self.work)


class Writer:
    """The writing thread of a process. `patience` is for how many seconds it retries while the database is unavailable;
    None means forever."""

    def __init__(self, engine: Engine, largest_batch: int = 2000, patience: float | None = 5.0) -> None:
        self._engine = engine
        self._patience = patience
        self._largest = largest_batch
        self._queue: queue.SimpleQueue[tuple[Changes, Future[None]] | None] = queue.SimpleQueue()
        WRITER_QUEUE.track(self, Writer._waiting)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, changes: Changes) -> Future[None]:
        """Queues changes; the future is done when they are committed. It cannot be cancelled: whoever stops waiting for
        it leaves the changes to the writer."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()
        self._queue.put((changes, future))
        return future

    def write(self, changes: Changes) -> None:
        """Writes changes and waits for the commit. Raises Stale."""
        self.submit(changes).result()

    def close(self) -> None:
        """Flushes the queue and ends the thread."""
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
        """`unsure` if the batch may already be committed and only the confirmation was lost."""
        started = time.monotonic()
        batch = list(_with_valid_predecessors(batch))
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
                if is_transient(error):
                    if self._patience is None or time.monotonic() - started < self._patience:
                        _log_outage(error, pause)
                        time.sleep(pause)
                        continue
                    _fail(batch, error)
                elif len(batch) > 1:
                    # One failing change must not affect the others.
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
        """The part of a batch that an unconfirmed commit has not written: changes whose new rows do not exist. Changes
        without new rows are idempotent and repeated."""
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
        query = _LEASES if connection.dialect.name == "sqlite" else _LOCKED_LEASES
        valid = {Lease(*row) for row in connection.execute(query, {"stacks": [one.stack for one in held]})}
        return set(held - valid)


_IMMUTABLE = ("stack", "project", "name", "resource", "created_at", "at")
"""Columns that never change after the insert."""


def _is_written(connection: Connection, changes: Changes) -> bool:
    """Whether the new rows of changes are in the database. A row with the same id may be another one, so compare more
    columns."""
    added = [(table, row) for table, rows in changes.inserts.items() for row in rows if "id" in row]
    return bool(added) and all(_is_there(connection, table, row) for table, row in added)


def _is_there(connection: Connection, table: Table, row: Mapping[str, object]) -> bool:
    names = [name for name in _IMMUTABLE if name in row]
    columns: list[Any] = [table.c.id, *(table.c[name] for name in names)]
    found = connection.execute(select(*columns).where(table.c.id == row["id"])).one_or_none()
    return found is not None and list(found[1:]) == [row[name] for name in names]


def _await_turn(connection: Connection, batch: Iterable[Changes]) -> None:
    """Locks the trees that get events until the commit, so that events become visible in the order of their numbers:
    readers never look for lower numbers again. SQLite has one writer at a time."""
    if connection.dialect.name == "sqlite":
        return
    roots = {row["root"] for one in batch for row in one.inserts.get(event, ())}
    roots |= {one.lease.stack for one in batch if one.lease is not None}
    if roots:
        query = select(stack.c.id).where(stack.c.id.in_(roots)).order_by(stack.c.id)
        connection.execute(query.with_for_update())


def _with_valid_predecessors(
    batch: Iterable[tuple[Changes, Future[None]]],
) -> Iterator[tuple[Changes, Future[None]]]:
    """The changes whose predecessors did not fail; fails the others with the same error."""
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


def _log_outage(error: Exception, pause: float) -> None:
    if pause >= LONGEST_PAUSE:
        log.warning("waiting for the database to write changes: %s", type(error).__name__)


def _with_same_columns(
    updates: Mapping[Table, Mapping[str, Values]],
) -> Iterator[tuple[Table, list[Values]]]:
    """Groups updates by their columns, for one statement each."""
    for table, rows in updates.items():
        groups: dict[frozenset[str], list[Values]] = defaultdict(list)
        for row in rows.values():
            groups[frozenset(row)].append(row)
        for group in groups.values():
            yield table, group


def apply(connection: Connection, changes: Changes) -> None:
    """Writes changes within a transaction."""
    sealed = changes.sealed
    for table, rows in changes.inserts.items():
        statements.insert(connection, table, rows, sealed=sealed)
    for table, rows in _with_same_columns(changes.updates):
        statements.update_each(connection, table, rows, sealed=sealed)
    for table, ids in changes.deletes.items():
        statements.delete(connection, table, ids)
    for work in changes.work:
        work(connection)
