"""Software configs and deployments, as resource types store and read them during a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from calor.engine.ids import new_id
from calor.store import records, tables
from calor.store.database import reading

if TYPE_CHECKING:
    from calor.engine.runs import Run

_PARTS = ("config", "inputs", "outputs", "options")


class Configs:
    """Of one run. What it has written is read back before it is in the database."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def store_config(self, project: str, fields: Mapping[str, Any]) -> str:
        id = new_id()
        self._run.journal.changes.insert(
            tables.software_config,
            id=id,
            project=project,
            name=fields.get("name"),
            group=fields.get("group") or "Heat::Ungrouped",
            config={name: fields.get(name) for name in _PARTS},
            created_at=self._run.now(),
        )
        return id

    async def config(self, project: str, id: str) -> dict[str, Any] | None:
        row = await self._row(tables.software_config, id)
        if row is None or row.project != project:
            return None
        found = records.record(records.SoftwareConfig, row)
        return {"id": found.id, "name": found.name, "group": found.group, **found.config}

    def delete_config(self, id: str) -> None:
        self._run.journal.changes.delete(tables.software_config, id)

    async def create_deployment(self, project: str, fields: Mapping[str, Any]) -> str:
        id = new_id()
        now = self._run.now()
        self._run.journal.changes.insert(
            tables.software_deployment,
            id=id,
            project=project,
            server=fields["server"],
            config=fields["config"],
            stack_user_project=fields.get("stack_user_project"),
            input_values=fields.get("input_values"),
            output_values=fields.get("output_values"),
            action=fields.get("action"),
            status=fields.get("status"),
            reason=fields.get("status_reason") or "",
            created_at=now,
            updated_at=now,
        )
        await self._run.journal.flush()
        return id

    async def update_deployment(self, id: str, fields: Mapping[str, Any]) -> None:
        values = {"reason" if name == "status_reason" else name: value for name, value in fields.items()}
        self._run.journal.changes.update(tables.software_deployment, id, updated_at=self._run.now(), **values)
        await self._run.journal.flush()

    async def deployment(self, id: str) -> dict[str, Any] | None:
        row = await self._row(tables.software_deployment, id)
        if row is None:
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

    async def delete_deployment(self, id: str) -> None:
        self._run.journal.changes.delete(tables.software_deployment, id)
        await self._run.journal.flush()

    async def _row(self, table: Any, id: str) -> Any:
        await self._run.journal.flush()

        def read() -> Any:
            with reading(self._run.database).connect() as connection:
                return connection.execute(select(table).where(table.c.id == id)).one_or_none()

        return await asyncio.get_running_loop().run_in_executor(None, read)
