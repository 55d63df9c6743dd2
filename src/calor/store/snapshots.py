"""Rows of snapshots."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, func, select

from calor.lifecycle import Status
from calor.store import records, statements, tables
from calor.store.records import Document
from calor.store.writer import Changes

_table = tables.snapshot
_OF_STACK = select(_table).where(_table.c.stack == bindparam("stack_id")).order_by(_table.c.created_at)


def add(changes: Changes, snapshot: records.Snapshot) -> None:
    changes.insert(_table, **records.as_row(snapshot))


def delete(changes: Changes, id: str) -> None:
    changes.delete(_table, id)


def of_stack(connection: Connection, stack: str) -> list[records.Snapshot]:
    """Oldest first."""
    rows = connection.execute(_OF_STACK, {"stack_id": stack})
    return [records.record(records.Snapshot, row) for row in rows]


def get(connection: Connection, stack: str, id: str) -> records.Snapshot | None:
    row = connection.execute(select(_table).where(_table.c.id == id, _table.c.stack == stack)).one_or_none()
    return None if row is None else records.record(records.Snapshot, row)


def count(connection: Connection, stack: str) -> int:
    return int(connection.execute(select(func.count()).where(_table.c.stack == stack)).scalar_one())


def finish(
    connection: Connection, id: str, status: str, reason: str, data: Document | None, *, sealed: bool
) -> bool:
    """Stores the result of a snapshot, with its data if it is complete. Returns whether it still existed."""
    values = {"status": status, "reason": reason, **({"data": data} if data is not None else {})}
    return statements.update(connection, _table, values, id=id, sealed=sealed) > 0


def fail_unfinished(connection: Connection, id: str, reason: str, *, sealed: bool) -> bool:
    """Fails a snapshot that is in progress. Returns whether it was."""
    values = {"status": Status.FAILED, "reason": reason}
    return statements.update(connection, _table, values, id=id, status=Status.IN_PROGRESS, sealed=sealed) > 0
