"""Snapshots, and stacks that leave Calor or come into it with all they own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from calor.engine import definitions
from calor.engine.ids import new_id
from calor.language.parameters import StackIdentity
from calor.service.base import Base, NewStack
from calor.service.caller import Caller
from calor.service.errors import NotSupported, ServiceError
from calor.store import records, tables
from calor.store.database import reading
from calor.store.writer import Changes


class TransferCommands(Base):
    def adopt_stack(self, caller: Caller, new: NewStack, data: Mapping[str, Any]) -> records.Stack:
        """Makes a stack of what another one left behind: its resources are taken over, not made."""
        adopted = data.get("resources")
        if not isinstance(adopted, dict):
            raise ServiceError("HTTPBadRequest", "adopt_stack_data has no resources.")
        return self.create_row(caller, new, "ADOPT", {"adopt": adopted})

    def export(self, caller: Caller, stack: records.Stack) -> dict[str, Any]:
        """The stack as data: what it is made of, and the ids of what it owns."""
        with reading(self.database).connect() as connection:
            return self._exported(connection, stack)

    def _exported(self, connection: Connection, stack: records.Stack) -> dict[str, Any]:
        request = definitions.load(connection, stack.definition)
        table = tables.resource
        rows = connection.execute(select(table).where(table.c.stack == stack.id))
        resources = [records.record(records.Resource, row) for row in rows]
        return {
            "name": stack.name,
            "id": stack.id,
            "action": stack.action,
            "status": stack.status,
            "template": request["template"],
            "files": request["files"],
            "environment": {
                "parameters": {**request["environment"].get("parameters", {}), **request["parameters"]},
                "parameter_defaults": request["environment"].get("parameter_defaults", {}),
                "resource_registry": request["environment"].get("resource_registry", {}),
                "event_sinks": request["environment"].get("event_sinks", []),
                "encrypted_param_names": self._encrypted(stack, request),
            },
            "resources": {row.name: self._exported_resource(connection, row) for row in resources},
            "project_id": stack.project,
            "stack_user_project_id": stack.user_project,
            "tags": stack.tags,
        }

    def _encrypted(self, stack: records.Stack, request: Mapping[str, Any]) -> list[str]:
        if not stack.sealed:
            return []
        identity = StackIdentity(stack.name, stack.id, stack.project)
        definition, _ = definitions.define(request, self.world, identity)
        return definitions.encrypted_names(definition) if definition is not None else []

    def _exported_resource(self, connection: Connection, row: records.Resource) -> dict[str, Any]:
        own = {
            "name": row.name,
            "resource_id": row.physical_id,
            "type": row.type,
            "action": row.action,
            "status": row.status,
            "metadata": row.metadata or {},
            "resource_data": {name: value for name, value in (row.data or {}).items() if name[:1] != "_"},
        }
        if not (row.data or {}).get("_nested") or row.physical_id is None:
            return own
        found = connection.execute(
            select(tables.stack).where(tables.stack.c.id == row.physical_id)
        ).one_or_none()
        if found is None:
            return own
        return {**own, **self._exported(connection, records.record(records.Stack, found))}

    def abandon(self, caller: Caller, stack: records.Stack) -> dict[str, Any]:
        """Gives the stack's data away and forgets it; what it owns stays."""
        data = self.export(caller, stack)
        now = self.clock()
        ended = records.changed(
            stack,
            action="DELETE",
            status="COMPLETE",
            reason="Stack abandoned",
            deleted_at=now,
            updated_at=now,
            run_id=new_id(),
            run={},
        )
        changes = Changes(sealed=stack.sealed)
        row = dict(records.as_row(ended))
        del row["id"]
        changes.update(tables.stack, stack.id, **row)
        self.note(changes, ended)

        def forget(connection: Connection) -> None:
            below = select(tables.stack.c.id).where(tables.stack.c.root == stack.root)
            ids = list(connection.execute(below).scalars())
            connection.execute(tables.resource.delete().where(tables.resource.c.stack.in_(ids)))
            change = tables.stack.update().where(tables.stack.c.id.in_(ids)).values(deleted_at=now)
            connection.execute(change)

        changes.then(forget)
        self.writer.write(changes)
        return data

    def create_snapshot(self, caller: Caller, stack: records.Stack, name: str | None) -> records.Snapshot:
        """Keeps the stack's data as it is now."""
        if stack.status == "IN_PROGRESS":
            raise ServiceError("ActionInProgress", f"Stack {stack.name} already has an action in progress.")
        data = self.export(caller, stack)
        made = records.Snapshot(
            id=new_id(),
            stack=stack.id,
            project=stack.project,
            name=name,
            action="CREATE",
            status="IN_PROGRESS",
            reason="Stack SNAPSHOT started",
            created_at=self.clock(),
            data={**data, "_definition": stack.definition},
        )
        changes = Changes(sealed=stack.sealed)
        changes.insert(tables.snapshot, **records.as_row(made))
        self.writer.write(changes)
        self.start(stack, "SNAPSHOT", run={"snapshot": made.id})
        return made

    def delete_snapshot(self, caller: Caller, snapshot: records.Snapshot) -> None:
        if snapshot.status == "IN_PROGRESS":
            raise NotSupported("Deleting in-progress snapshot is not supported.")
        changes = Changes()
        changes.delete(tables.snapshot, snapshot.id)
        self.writer.write(changes)

    def restore(self, caller: Caller, stack: records.Stack, snapshot: records.Snapshot) -> None:
        """Leads the stack back to what it was when the snapshot was taken."""
        if snapshot.status != "COMPLETE" or snapshot.data is None:
            raise NotSupported("Restoring a snapshot that is not complete is not supported.")
        self.start(stack, "RESTORE", definition=snapshot.data["_definition"], run={"snapshot": snapshot.id})
