"""Snapshots, and stacks that leave Calor or come into it with all they own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from calor.clouds.errors import CloudError
from calor.clouds.errors import NotFound as MissingObject
from calor.engine import snapshots
from calor.engine.exporting import exported
from calor.engine.ids import new_id
from calor.language import reader
from calor.language.diagnostics import Report
from calor.service.base import Base, NewStack
from calor.service.caller import Caller
from calor.service.deposits import owner_services
from calor.service.errors import ActionInProgress, NotSupported, ServiceError
from calor.store import records, tables
from calor.store.database import reading
from calor.store.writer import Changes

PATIENCE = 5.0
PAUSE = 0.02


class TransferCommands(Base):
    def adopt_stack(self, caller: Caller, new: NewStack, data: Mapping[str, Any]) -> records.Stack:
        """Makes a stack of what another one left behind: its resources are taken over, not made."""
        adopted = data.get("resources")
        if not isinstance(adopted, dict):
            raise ServiceError("HTTPBadRequest", "adopt_stack_data has no resources.")
        self.check_named_types(caller, list(_types_left(adopted)))
        return self.create_row(caller, new, "ADOPT", {"adopt": adopted})

    def export(self, caller: Caller, stack: records.Stack) -> dict[str, Any]:
        """The stack as data: what it is made of, and the ids of what it owns. A template that was sent as text is
        data as well."""
        with reading(self.database).connect() as connection:
            data = exported(connection, stack, self.world)
        if isinstance(data["template"], str):
            source = reader.read_mapping(data["template"], "template", Report(), self.world.limits)
            data["template"] = source.data if source is not None else {}
        return data

    def abandon(self, caller: Caller, stack: records.Stack) -> dict[str, Any]:
        """Gives the stack's data away and deletes it; what it owns stays. Its name is free again when that is done,
        which takes a moment and is waited for; without an engine, the data is given away before."""
        _check_idle(stack)
        data = self.export(caller, stack)
        self.start(caller, stack, "DELETE", run={"retain": True})
        end = time.monotonic() + PATIENCE
        while self._is_under_way(stack) and time.monotonic() < end:
            time.sleep(PAUSE)
        return data

    def _is_under_way(self, stack: records.Stack) -> bool:
        query = select(tables.stack.c.status).where(tables.stack.c.id == stack.id)
        with reading(self.database).connect() as connection:
            return connection.execute(query).scalar() == "IN_PROGRESS"

    def create_snapshot(self, caller: Caller, stack: records.Stack, name: str | None) -> records.Snapshot:
        """Begins a snapshot; the engine puts the stack's data into it when all resources have had their part."""
        _check_idle(stack)
        self._check_snapshots(stack)
        made = records.Snapshot(
            id=new_id(),
            stack=stack.id,
            project=stack.project,
            name=name,
            action="CREATE",
            status="IN_PROGRESS",
            reason="Stack SNAPSHOT started",
            created_at=self.clock(),
            data=None,
        )
        also = Changes()
        also.insert(tables.snapshot, **records.as_row(made))
        self.start(caller, stack, "SNAPSHOT", also=also, run={"snapshot": made.id})
        return made

    def _check_snapshots(self, stack: records.Stack) -> None:
        message = "You have reached the maximum snapshots per stack"
        self.check_count(self.limits.snapshots_per_stack, message, tables.snapshot.c.stack == stack.id)

    def delete_snapshot(self, caller: Caller, snapshot: records.Snapshot) -> None:
        if snapshot.status == "IN_PROGRESS":
            raise NotSupported("Deleting in-progress snapshot is not supported.")
        self._discard(caller, snapshot)
        changes = Changes()
        changes.delete(tables.snapshot, snapshot.id)
        self.writer.write(changes)

    def _discard(self, caller: Caller, snapshot: records.Snapshot) -> None:
        """Deletes what a snapshot has in the cloud. Its ids may have come with an adoption: an admin's rights are not
        used on them. Raises ServiceError."""
        found = list(snapshots.parts(snapshot.data, self.world.declaration))
        if caller.is_admin or caller.home != snapshot.project:
            services = owner_services(self.vault, self.database, self._credentials(snapshot))
        else:
            services = self.services_of(caller) if found else None
        if services is None:
            return
        for part in found:
            try:
                services.ask(part.service, "DELETE", part.collection, part.id)
            except MissingObject:
                continue
            except CloudError as error:
                message = (
                    f"The {part.collection} {part.id} of the snapshot cannot be deleted: {error.message}"
                )
                raise ServiceError("HTTPServiceUnavailable", message) from None

    def _credentials(self, snapshot: records.Snapshot) -> str | None:
        query = select(tables.stack.c.credentials).where(tables.stack.c.id == snapshot.stack)
        with reading(self.database).connect() as connection:
            return connection.execute(query).scalar()

    def restore(self, caller: Caller, stack: records.Stack, snapshot: records.Snapshot) -> None:
        """Leads the stack back to what it was when the snapshot was taken."""
        _check_idle(stack)
        if snapshot.status != "COMPLETE" or snapshot.data is None:
            raise NotSupported("Restoring a snapshot that is not complete is not supported.")
        self.start(
            caller, stack, "RESTORE", definition=snapshot.data["_definition"], run={"snapshot": snapshot.id}
        )


def _check_idle(stack: records.Stack) -> None:
    if stack.status == "IN_PROGRESS":
        raise ActionInProgress(stack.name)


def _types_left(resources: Mapping[str, Any]) -> dict[str, None]:
    """The types that the templates of stacks below name: such a template is used as it was left behind."""
    found: dict[str, None] = {}
    waiting = list(resources.values())
    while waiting:
        one = waiting.pop()
        waiting.extend((one.get("resources") or {}).values())
        template = one.get("template")
        members = (
            (template.get("resources") or template.get("Resources")) if isinstance(template, dict) else None
        )
        for member in members.values() if isinstance(members, dict) else ():
            named = (member.get("type") or member.get("Type")) if isinstance(member, dict) else None
            if isinstance(named, str):
                found[named] = None
    return found
