"""Rows of resources. A name may have several: a resource, and those that it replaces."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, select

from calor.store import records, tables
from calor.store.records import Document
from calor.store.writer import Changes

_table = tables.resource


@dataclass(frozen=True, slots=True)
class ResourceOfStack:
    """A resource, and the credentials of its stack."""

    resource: records.Resource
    credentials: str | None


def of_stack(connection: Connection, stack: str, name: str | None = None) -> list[records.Resource]:
    """The resources of a stack, or those with a name, oldest first."""
    query = select(_table).where(_table.c.stack == stack).order_by(_table.c.created_at)
    if name is not None:
        query = query.where(_table.c.name == name)
    return [records.record(records.Resource, row) for row in connection.execute(query)]


def of_stacks(connection: Connection, stacks: Collection[str]) -> list[records.Resource]:
    rows = connection.execute(select(_table).where(_table.c.stack.in_(stacks)))
    return [records.record(records.Resource, row) for row in rows]


def with_physical_id(connection: Connection, project: str, physical_id: str) -> list[ResourceOfStack]:
    """The resources of a project's stacks with a physical id."""
    query = (
        select(_table, tables.stack.c.credentials)
        .join(tables.stack, tables.stack.c.id == _table.c.stack)
        .where(_table.c.physical_id == physical_id, tables.stack.c.project == project)
    )
    return [
        ResourceOfStack(records.Resource(*row[:-1]), row.credentials) for row in connection.execute(query)
    ]


def get_data(connection: Connection, id: str) -> Document | None:
    """The data of a resource; None if it does not exist."""
    row = connection.execute(select(_table.c.data).where(_table.c.id == id)).one_or_none()
    return None if row is None else (row.data or {})


def set_state(
    changes: Changes, id: str, *, action: str, status: str, reason: str, data: Document, at: float
) -> None:
    changes.update(_table, id, action=action, status=status, reason=reason, data=data, updated_at=at)
