"""Snapshots of stacks."""

from __future__ import annotations

from sqlalchemy import Engine, select

from calor.service.errors import ServiceError
from calor.store import records, tables

table = tables.snapshot


class Snapshots:
    def __init__(self, source: Engine) -> None:
        self._source = source

    def of(self, stack: records.Stack) -> list[records.Snapshot]:
        query = select(table).where(table.c.stack == stack.id).order_by(table.c.created_at)
        with self._source.connect() as connection:
            return [records.record(records.Snapshot, row) for row in connection.execute(query)]

    def get(self, stack: records.Stack, id: str) -> records.Snapshot:
        """Raises ServiceError if the stack has no such snapshot."""
        query = select(table).where(table.c.id == id, table.c.stack == stack.id)
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            message = f"The Snapshot ({id}) for Stack ({stack.name}) could not be found."
            raise ServiceError("EntityNotFound", message)
        return records.record(records.Snapshot, row)
