"""Software configs and deployments: how their rows are made, and how resource types store and read them during a
run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, select, update

from calor.engine import server_metadata
from calor.engine.ids import new_id
from calor.store import records, tables
from calor.store.database import reading
from calor.store.writer import MOST_IDS, Changes
from calor.types.heat.configs import UNGROUPED

if TYPE_CHECKING:
    from calor.engine.runs import Run

Found = TypeVar("Found")

_PARTS = ("config", "inputs", "outputs", "options")
_NAMES = {"status_reason": "reason"}
"""What a field is called in a row, where that is not its own name."""


def new_config(project: str, fields: Mapping[str, Any], now: float) -> records.SoftwareConfig:
    """A config with `name`, `group`, `config`, `inputs`, `outputs` and `options`. It never changes."""
    return records.SoftwareConfig(
        id=new_id(),
        project=project,
        name=fields.get("name"),
        group=fields.get("group") or UNGROUPED,
        config={name: fields.get(name) for name in _PARTS},
        created_at=now,
    )


def new_deployment(project: str, fields: Mapping[str, Any], now: float) -> records.SoftwareDeployment:
    """A deployment of a `config` to a `server`, with `action`, `status`, `status_reason`, `input_values`,
    `output_values` and the `stack_user_project` whose users may read it."""
    return records.SoftwareDeployment(
        id=new_id(),
        project=project,
        server=fields["server"],
        config=fields["config"],
        stack_user_project=fields.get("stack_user_project"),
        input_values=fields.get("input_values"),
        output_values=fields.get("output_values"),
        action=fields.get("action") or "INIT",
        status=fields.get("status") or "COMPLETE",
        reason=fields.get("status_reason") or "",
        created_at=now,
        updated_at=now,
    )


def changed_deployment(fields: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The columns that a change of some fields sets."""
    return {**{_NAMES.get(name, name): value for name, value in fields.items()}, "updated_at": now}


def _drop_configs(connection: Connection, project: str, ids: list[str]) -> None:
    table = tables.software_config
    for start in range(0, len(ids), MOST_IDS):
        some = table.c.id.in_(ids[start : start + MOST_IDS])
        connection.execute(table.delete().where(some, table.c.project == project))


class Configs:
    """Of one run. What it has written is read back before it is in the database."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._awaited: set[str] = set()
        """Deployments that this run has begun and waits for."""
        self._dropped: tuple[Changes, list[str]] | None = None
        """Configs that go with the changes that are being collected."""

    def store_config(self, project: str, fields: Mapping[str, Any]) -> str:
        made = new_config(project, fields, self._run.now())
        self._run.journal.changes.insert(tables.software_config, **records.as_row(made))
        return made.id

    async def config(self, project: str, id: str) -> dict[str, Any] | None:
        row = await self._row(tables.software_config, id)
        if row is None or row.project != project:
            return None
        found = records.record(records.SoftwareConfig, row)
        return {"id": found.id, "name": found.name, "group": found.group, **found.config}

    def delete_config(self, project: str, id: str) -> None:
        """One statement deletes all that are dropped together. None of another project is."""
        changes = self._run.journal.changes
        if self._dropped is None or self._dropped[0] is not changes:
            ids: list[str] = []
            self._dropped = changes, ids
            changes.then(partial(_drop_configs, project=project, ids=ids))
        self._dropped[1].append(id)

    async def create_deployment(
        self, project: str, fields: Mapping[str, Any], note: Callable[[str], None]
    ) -> None:
        """Its id is noted in the same transaction: a report may come as soon as it is there."""
        readers = await self._stack_user_project()
        made = new_deployment(project, {"stack_user_project": readers, **fields}, self._run.now())
        self._run.journal.changes.insert(tables.software_deployment, **records.as_row(made))
        note(made.id)
        self._await(made.id, fields)
        await self._tell(fields["server"])

    async def update_deployment(self, project: str, id: str, fields: Mapping[str, Any]) -> None:
        shown = await self.deployment(project, id)
        if shown is None:
            return
        values = changed_deployment(fields, self._run.now())
        self._run.journal.changes.update(tables.software_deployment, id, **values)
        self._await(id, fields)
        await self._run.journal.flush()
        if "config" in fields:
            await self._tell(shown["server"])

    def _await(self, id: str, fields: Mapping[str, Any]) -> None:
        if fields.get("status") == "IN_PROGRESS":
            self._awaited.add(id)
        elif "status" in fields:
            self._awaited.discard(id)

    async def _stack_user_project(self) -> str | None:
        """The project of the tree's users, as which servers read what is theirs."""
        stack = self._run.stack
        root = stack if stack.is_root else await self._run.stack_of_tree(stack.root)
        return root.user_project if root is not None else None

    async def deployment(self, project: str, id: str) -> dict[str, Any] | None:
        row = await self._row(tables.software_deployment, id)
        if row is None or row.project != project:
            return None
        found = records.record(records.SoftwareDeployment, row)
        return {
            "id": found.id,
            "server": found.server,
            "config": found.config,
            "action": found.action,
            "status": found.status,
            "status_reason": found.reason,
            "input_values": found.input_values,
            "output_values": found.output_values,
        }

    async def delete_deployment(self, project: str, id: str) -> None:
        shown = await self.deployment(project, id)
        if shown is not None:
            self._run.journal.changes.delete(tables.software_deployment, id)
            await self._tell(shown["server"])

    async def deployed(self, server: str) -> list[dict[str, Any]]:
        """What a server has to apply, as its agent gets it."""
        project = self._run.stack.project
        return await self._read(partial(server_metadata.deployments_of, server=server, project=project))

    async def _tell(self, server: str) -> None:
        """Lets the agent of a server know, where that waits at the object store, once all is written."""
        project = self._run.stack.project
        for notice in await self._read(partial(server_metadata.notices, server=server, project=project)):
            cloud = await self._run.cloud()
            await cloud.send("object", "PUT", notice.container, notice.object, body=notice.document)

    async def cancel(self, *, timed_out: bool) -> None:
        """Fails what the run has begun and nobody waits for any more. A run that was stopped so that another
        engine goes on with it, and not for a newer action, leaves everything to that one."""
        if not self._awaited:
            return
        run, awaited, now = self._run.stack, sorted(self._awaited), self._run.now()

        def write(connection: Connection) -> None:
            stack, table = tables.stack, tables.software_deployment
            present = connection.execute(select(stack.c.run_id).where(stack.c.id == run.id)).scalar()
            if timed_out or present != run.run_id:
                unfinished = table.c.id.in_(awaited), table.c.status == "IN_PROGRESS"
                failed = {"status": "FAILED", "reason": "Deployment cancelled.", "updated_at": now}
                connection.execute(update(table).where(*unfinished).values(failed))

        self._run.journal.changes.then(write)
        await self._run.journal.flush()

    async def _row(self, table: Any, id: str) -> Any:
        query = select(table).where(table.c.id == id)
        return await self._read(lambda connection: connection.execute(query).one_or_none())

    async def _read(self, look: Callable[[Connection], Found]) -> Found:
        """What there is when all that the run has noted is written."""
        await self._run.journal.flush()

        def read() -> Found:
            with reading(self._run.database).connect() as connection:
                return look(connection)

        return await asyncio.get_running_loop().run_in_executor(None, read)
