"""Rows of events."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, select

from calor.store import tables
from calor.store.writer import Changes


def add(changes: Changes, event: Mapping[str, object]) -> None:
    """Adds an event built by `calor.stacks.events`. The database numbers events in the order they are written."""
    changes.insert(tables.event, **event)


def last_reason(connection: Connection, stack: str, resource: str) -> str | None:
    """The reason of the last event of a resource, if there is one."""
    event = tables.event
    query = select(event.c.reason).where(event.c.stack == stack, event.c.resource == resource)
    reason: str | None = connection.execute(query.order_by(event.c.seq.desc()).limit(1)).scalar()
    return reason
