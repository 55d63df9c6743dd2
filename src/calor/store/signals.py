"""Rows of pending signals."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from calor.store import records, tables
from calor.store.records import Document
from calor.store.writer import Changes

_table = tables.inbox


@dataclass(frozen=True, slots=True)
class PendingSignals:
    """The pending signals of a resource: their number and bytes, and the bytes of its whole tree."""

    count: int
    size: int
    size_in_tree: int


def add(changes: Changes, id: str, stack: records.Stack, resource: str, details: Document | None) -> None:
    changes.insert(_table, id=id, root=stack.root, stack=stack.id, resource=resource, details=details)


def is_waiting(connection: Connection, id: str) -> bool:
    return connection.execute(select(_table.c.id).where(_table.c.id == id)).first() is not None


def waiting_for(connection: Connection, stack: records.Stack, resource: str) -> PendingSignals:
    own = (_table.c.stack == stack.id) & (_table.c.resource == resource)
    length = func.coalesce(func.length(_table.c.details), 0)
    query = select(
        func.coalesce(func.sum(case((own, 1), else_=0)), 0),
        func.coalesce(func.sum(case((own, length), else_=0)), 0),
        func.coalesce(func.sum(length), 0),
    ).where(_table.c.root == stack.root)
    count, size, in_tree = connection.execute(query).one()
    return PendingSignals(int(count), int(size), int(in_tree))
