"""Exports a stack with its definition and the ids of its objects, for snapshots and for adoption."""

from __future__ import annotations

from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.resources.values import JsonObject
from calor.stacks import definitions
from calor.stacks.tree import nested_stack_of
from calor.store import records
from calor.store import resources as resource_rows
from calor.store.database import Connection


def exported(connection: Connection, stack: records.Stack, world: World) -> JsonObject:
    """A stack with its nested stacks, which are exported in the same format within their resources."""
    request = definitions.load(connection, stack.definition)
    environment = request["environment"]
    rows = resource_rows.of_stack(connection, stack.id)
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
            row.name: _resource(connection, stack, row, world) for row in rows if row.replaced_by is None
        },
        "project_id": stack.project,
        "stack_user_project_id": stack.user_project,
        "tags": stack.tags,
    }


def _encrypted(stack: records.Stack, request: JsonObject, world: World) -> list[str]:
    definition, _ = definitions.define(request, world, StackIdentity(stack.name, stack.id, stack.project))
    return definitions.encrypted_names(definition) if definition is not None else []


def _resource(
    connection: Connection, stack: records.Stack, row: records.Resource, world: World
) -> JsonObject:
    own = {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type,
        "action": row.action,
        "status": row.status,
        "metadata": row.metadata or {},
        "resource_data": {name: value for name, value in (row.data or {}).items() if name[:1] != "_"},
    }
    below = nested_stack_of(connection, stack, row)
    return own if below is None else {**exported(connection, below, world), **own}
