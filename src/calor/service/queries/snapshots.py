"""Snapshots of stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine, select

from calor.language.library import World
from calor.language.values import MASK
from calor.service.errors import ServiceError
from calor.service.masking import Masking, without_credentials
from calor.service.queries.meanings import Meaning, Meanings
from calor.store import records, tables

table = tables.snapshot


class Snapshots:
    def __init__(self, source: Engine, meanings: Meanings, world: World) -> None:
        self._source = source
        self._meanings = meanings
        self._world = world

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

    def without_secrets(self, stack: records.Stack, snapshot: records.Snapshot) -> records.Snapshot:
        """A snapshot of a stack for those who may not export it: hidden parameters and credentials are masked, and
        what types keep for themselves is left out. A stack is restored from what is stored, not from this."""
        if snapshot.data is None:
            return snapshot
        meaning = self._meanings.of(records.changed(stack, definition=snapshot.data["_definition"]))
        shown = Masking(self._world.declaration, meaning.hidden).shown(snapshot.data)
        return records.changed(
            snapshot,
            data={
                **shown,
                "environment": _masked(shown["environment"], meaning),
                "resources": _without_credentials(shown["resources"]),
            },
        )


def _masked(environment: Mapping[str, Any], meaning: Meaning) -> dict[str, Any]:
    """By name, as a hidden value that is short is not looked for."""
    return {
        part: {
            name: MASK if meaning.parameters.get(name) == MASK else value for name, value in values.items()
        }
        if part in ("parameters", "parameter_defaults")
        else values
        for part, values in environment.items()
    }


def _without_credentials(resources: Mapping[str, Any]) -> dict[str, Any]:
    shown = {}
    for name, resource in resources.items():
        shown[name] = {**resource, "resource_data": {}, "metadata": without_credentials(resource["metadata"])}
        if "resources" in resource:
            shown[name]["resources"] = _without_credentials(resource["resources"])
    return shown
