"""Creates, deletes and restores snapshots of stacks."""

from __future__ import annotations

from dataclasses import dataclass

from calor.clouds.errors import CloudError
from calor.clouds.errors import NotFound as MissingObject
from calor.language.library import World
from calor.lifecycle import Action, Status
from calor.service.caller import Caller
from calor.service.caller_services import CallerServices
from calor.service.errors import ActionInProgress, NotSupported, ServiceError
from calor.service.intents import Intents, check_still_idle
from calor.service.quotas import Quotas
from calor.service.trusts import owner_services
from calor.stacks import snapshots as snapshot_data
from calor.stacks.ids import new_id
from calor.stacks.run_notes import RunNotes
from calor.store import records, snapshots, stacks
from calor.store.database import Database, reading
from calor.store.writer import Changes


@dataclass(frozen=True, slots=True)
class SnapshotCommands:
    """All methods raise ServiceError."""

    database: Database
    world: World
    quotas: Quotas
    services: CallerServices
    intents: Intents

    def create(self, caller: Caller, stack: records.Stack, name: str | None) -> records.Snapshot:
        """Starts a snapshot. The engine adds the stack's data to it once all resources have been snapshotted."""
        check_idle(stack)
        self.quotas.check_snapshots(stack)
        made = records.Snapshot(
            id=new_id(),
            stack=stack.id,
            project=stack.project,
            name=name,
            action=Action.CREATE,
            status=Status.IN_PROGRESS,
            reason=f"Stack {Action.SNAPSHOT} started",
            created_at=self.intents.clock(),
            data=None,
        )
        also = Changes()
        snapshots.add(also, made)
        notes = RunNotes(snapshot=made.id)
        self.intents.start(caller, stack, Action.SNAPSHOT, also=also, only_if=check_still_idle, notes=notes)
        return made

    def delete(self, caller: Caller, snapshot: records.Snapshot) -> None:
        if snapshot.status == Status.IN_PROGRESS:
            raise NotSupported("Deleting in-progress snapshot is not supported.")
        self._delete_objects(caller, snapshot)
        changes = Changes()
        snapshots.delete(changes, snapshot.id)
        self.intents.writer.write(changes)

    def restore(self, caller: Caller, stack: records.Stack, snapshot: records.Snapshot) -> None:
        """Restores the stack to the snapshot."""
        check_idle(stack)
        if snapshot.status != Status.COMPLETE or snapshot.data is None:
            raise NotSupported("Restoring a snapshot that is not complete is not supported.")
        self.intents.start(
            caller,
            stack,
            Action.RESTORE,
            only_if=check_still_idle,
            definition=snapshot.data["_definition"],
            notes=RunNotes(snapshot=snapshot.id),
        )

    def _delete_objects(self, caller: Caller, snapshot: records.Snapshot) -> None:
        """Deletes the objects of a snapshot in the cloud, without admin rights: their ids may come from adopted
        data."""
        found = list(snapshot_data.parts(snapshot.data, self.world.declaration))
        if caller.is_admin or caller.home != snapshot.project:
            with reading(self.database).connect() as connection:
                credentials = stacks.credentials_id(connection, snapshot.stack)
            services = owner_services(self.services.vault, self.database, credentials)
        else:
            services = self.services.of(caller) if found else None
        if services is None:
            return
        for part in found:
            try:
                services.request(part.service, "DELETE", part.collection, part.id)
            except MissingObject:
                continue
            except CloudError as error:
                message = (
                    f"The {part.collection} {part.id} of the snapshot cannot be deleted: {error.message}"
                )
                raise ServiceError("HTTPServiceUnavailable", message) from None


def check_idle(stack: records.Stack) -> None:
    """Raises ActionInProgress."""
    if stack.status == Status.IN_PROGRESS:
        raise ActionInProgress(stack.name)
