"""A stack as data: what it is made of, and the ids of what it owns. Snapshots keep it, other servers adopt it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from calor.engine import definitions
from calor.engine.tree import stack_below
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.store import records, tables


def exported(connection: Connection, stack: records.Stack, world: World) -> dict[str, Any]:
    """A stack with all below it: a resource that is a stack is a whole stack of the same shape."""
    request = definitions.load(connection, stack.definition)
    environment = request["environment"]
    table = tables.resource
    rows = connection.execute(select(table).where(table.c.stack == stack.id).order_by(table.c.created_at))
    resources = [records.record(records.Resource, row) for row in rows]
    return {
        "name": stack.name,
        "id": stack.id,
        "action": stack.action,
        "status": stack.status,
        "template": request["template"],
        "files": request["files"],
        "environment": {
            "parameters": {**environment.get("parameters", {}), **request["parameters"]},
            "parameter_defaults": environment.get("parameter_defaults", {}),
            "resource_registry": environment.get("resource_registry", {}),
            "event_sinks": environment.get("event_sinks", []),
            "encrypted_param_names": _encrypted(stack, request, world) if stack.sealed else [],
        },
        "environment_files": request["environment_files"],
        "resources": {
            row.name: _resource(connection, stack, row, world) for row in resources if row.replaced_by is None
        },
        "project_id": stack.project,
        "stack_user_project_id": stack.user_project,
        "tags": stack.tags,
    }


def _encrypted(stack: records.Stack, request: dict[str, Any], world: World) -> list[str]:
    definition, _ = definitions.define(request, world, StackIdentity(stack.name, stack.id, stack.project))
    return definitions.encrypted_names(definition) if definition is not None else []


def _resource(
    connection: Connection, stack: records.Stack, row: records.Resource, world: World
) -> dict[str, Any]:
    own = {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type,
        "action": row.action,
        "status": row.status,
        "metadata": row.metadata or {},
        "resource_data": {name: value for name, value in (row.data or {}).items() if name[:1] != "_"},
    }
    below = stack_below(connection, stack, row)
    return own if below is None else {**exported(connection, below, world), **own}
