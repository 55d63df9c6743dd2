"""Snapshots of stacks."""

from __future__ import annotations

from sqlalchemy import Engine, select

from calor.language.library import World
from calor.language.values import MASK
from calor.resources.values import JsonMapping, JsonObject
from calor.service.errors import ServiceError
from calor.service.masking import Masking
from calor.service.queries.definitions import Definitions, DefinitionSummary
from calor.store import records, tables

table = tables.snapshot


class Snapshots:
    def __init__(self, source: Engine, definitions: Definitions, world: World) -> None:
        self._source = source
        self._definitions = definitions
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
        """A snapshot of a stack for callers who may not export it: hidden parameters are masked, and everything that
        may contain credentials is left out. Stacks are restored from the stored snapshot, not from this one."""
        if snapshot.data is None:
            return snapshot
        summary = self._definitions.of(records.changed(stack, definition=snapshot.data["_definition"]))
        shown = Masking(self._world.declaration, summary.hidden).shown(snapshot.data)
        return records.changed(
            snapshot,
            data={
                **shown,
                "environment": _masked(shown["environment"], summary),
                "resources": _without_secrets(shown["resources"]),
            },
        )


def _masked(environment: JsonMapping, summary: DefinitionSummary) -> JsonObject:
    """The environment with hidden parameters masked by name, since short values are not searched for."""
    return {
        part: {
            name: MASK if summary.parameters.get(name) == MASK else value for name, value in values.items()
        }
        if part in ("parameters", "parameter_defaults")
        else values
        for part, values in environment.items()
    }


def _without_secrets(resources: JsonMapping) -> JsonObject:
    """Without the internal data of types, and what may be computed from attributes of other resources: metadata,
    and the definitions of nested stacks, which are stored with plain values."""
    shown = {}
    for name, resource in resources.items():
        shown[name] = {**resource, "resource_data": {}, "metadata": {}}
        if "resources" in resource:
            nested = {"template": {}, "environment": {}, "resources": _without_secrets(resource["resources"])}
            shown[name].update(nested)
    return shown
