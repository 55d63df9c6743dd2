"""Software configs and deployments of resource types during a run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from calor.engine.run.journal import Journal
from calor.engine.run.owner import Owner
from calor.engine.run.root import RootStack
from calor.engine.run.rows import TreeRows
from calor.lifecycle import Status
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks import software
from calor.store import records, tables
from calor.store.database import Connection, Database, reading
from calor.store.runs import fail_deployments
from calor.store.software import delete_configs, software_config, software_deployment
from calor.store.writer import Changes

Found = TypeVar("Found")


class RunSoftware:
    """The configs and deployments of one run. Reads see the run's writes."""

    def __init__(
        self, database: Database, root: RootStack, rows: TreeRows, journal: Journal, owner: Owner
    ) -> None:
        self._database = database
        self._root = root
        self._rows = rows
        self._journal = journal
        self._owner = owner
        self._awaited: set[str] = set()
        """Deployments that this run has started and waits for."""
        self._dropped: tuple[Changes, list[str]] | None = None
        """Configs to delete with the current batch of changes."""

    def store_config(self, project: str, fields: JsonMapping) -> str:
        made = software.new_config(project, fields, time.time())
        self._journal.changes.insert(tables.software_config, **records.as_row(made))
        return made.id

    async def config(self, project: str, id: str) -> JsonObject | None:
        found = await self._read(partial(software_config, id=id, project=project))
        if found is None:
            return None
        return {"id": found.id, "name": found.name, "group": found.group, **found.config}

    def delete_config(self, project: str, id: str) -> None:
        """Deletes a config of the project; one statement deletes all of a batch."""
        changes = self._journal.changes
        if self._dropped is None or self._dropped[0] is not changes:
            ids: list[str] = []
            self._dropped = changes, ids
            changes.then(partial(delete_configs, project=project, ids=ids))
        self._dropped[1].append(id)

    async def create_deployment(self, project: str, fields: JsonMapping, note: Callable[[str], None]) -> None:
        """Stores the id with `note` in the same transaction, as a report may arrive right afterwards."""
        readers = await self._stack_user_project()
        made = software.new_deployment(project, {"stack_user_project": readers, **fields}, time.time())
        self._journal.changes.insert(tables.software_deployment, **records.as_row(made))
        note(made.id)
        self._await(made.id, fields)
        await self._notify(fields["server"])

    async def update_deployment(self, project: str, id: str, fields: JsonMapping) -> None:
        shown = await self.deployment(project, id)
        if shown is None:
            return
        values = software.changed_deployment(fields, time.time())
        self._journal.changes.update(tables.software_deployment, id, **values)
        self._await(id, fields)
        await self._journal.flush()
        if "config" in fields:
            await self._notify(shown["server"])

    def _await(self, id: str, fields: JsonMapping) -> None:
        if fields.get("status") == Status.IN_PROGRESS:
            self._awaited.add(id)
        elif "status" in fields:
            self._awaited.discard(id)

    async def _stack_user_project(self) -> str | None:
        """The project of the tree's users, with whose credentials servers read deployments."""
        stack = self._root.row
        root = stack if stack.is_root else await self._rows.stack_in_tree(stack.root)
        return root.user_project if root is not None else None

    async def deployment(self, project: str, id: str) -> JsonObject | None:
        found = await self._read(partial(software_deployment, id=id, project=project))
        if found is None:
            return None
        return {
            "id": found.id,
            "server": found.server,
            "config": found.config,
            "action": found.action,
            "status": found.status,
            "status_reason": found.reason,
            "input_values": found.input_values,
            "output_values": found.output_values,
            "fetched": found.fetched_at is not None or found.progress is not None,
        }

    async def delete_deployment(self, project: str, id: str) -> None:
        shown = await self.deployment(project, id)
        if shown is not None:
            self._journal.changes.delete(tables.software_deployment, id)
            await self._notify(shown["server"])

    async def deployed(self, server: str) -> list[JsonObject]:
        """The configs for a server in the agent's format."""
        project = self._root.row.project
        return await self._read(partial(software.deployments_of, server=server, project=project))

    async def _notify(self, server: str) -> None:
        """Notifies the agent of a server that polls the object store, once everything is written."""
        project = self._root.row.project
        for notice in await self._read(partial(software.notices, server=server, project=project)):
            cloud = await self._owner.cloud()
            await cloud.send("object", "PUT", notice.container, notice.object, body=notice.document)

    async def cancel(self, *, timed_out: bool) -> None:
        """Fails the started deployments that nothing waits for any more, after a timeout or for a newer action.
        Otherwise they are left to the engine that continues the run."""
        if not self._awaited:
            return
        fail = partial(fail_deployments, run=self._root.row, ids=sorted(self._awaited), always=timed_out)
        self._journal.changes.then(fail)
        await self._journal.flush()

    async def _read(self, look: Callable[[Connection], Found]) -> Found:
        """Reads after the run's changes are written."""
        await self._journal.flush()

        def read() -> Found:
            with reading(self._database).connect() as connection:
                return look(connection)

        return await asyncio.get_running_loop().run_in_executor(None, read)
