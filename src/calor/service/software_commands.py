"""Software configs and deployments, as users and agents make them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from calor.engine.ids import new_id
from calor.service.base import Base
from calor.service.caller import Caller
from calor.service.errors import NotFound, ServiceError
from calor.store import records, tables
from calor.store.database import reading
from calor.store.writer import Changes


class SoftwareCommands(Base):
    def create_config(self, caller: Caller, **fields: Any) -> records.SoftwareConfig:
        """A config with `name`, `group`, `config`, `inputs`, `outputs` and `options`. It never changes."""
        if not caller.is_admin:
            self.check_count(
                self.limits.configs_per_project,
                "You have reached the maximum software configs per tenant",
                tables.software_config.c.project == caller.project,
            )
        made = records.SoftwareConfig(
            id=new_id(),
            project=caller.project,
            name=fields.get("name"),
            group=fields.get("group") or "Heat::Ungrouped",
            config={name: fields.get(name) for name in ("config", "inputs", "outputs", "options")},
            created_at=self.clock(),
        )
        changes = Changes()
        changes.insert(tables.software_config, **records.as_row(made))
        self.writer.write(changes)
        return made

    def delete_config(self, caller: Caller, config: records.SoftwareConfig) -> None:
        table = tables.software_deployment
        with reading(self.database).connect() as connection:
            used = connection.execute(select(table.c.id).where(table.c.config == config.id).limit(1)).first()
        if used is not None:
            message = (
                f"Software config with id {config.id} can not be deleted as it is referenced by deployments"
            )
            raise ServiceError("RestrictedAction", message)
        changes = Changes()
        changes.delete(tables.software_config, config.id)
        self.writer.write(changes)

    def create_deployment(self, caller: Caller, **fields: Any) -> records.SoftwareDeployment:
        self._config(caller, fields["config_id"])
        if not caller.is_admin:
            self.check_count(
                self.limits.deployments_per_project,
                "You have reached the maximum software deployments per tenant",
                tables.software_deployment.c.project == caller.project,
            )
        now = self.clock()
        made = records.SoftwareDeployment(
            id=new_id(),
            project=caller.project,
            server=fields["server_id"],
            config=fields["config_id"],
            stack_user_project=fields.get("stack_user_project_id"),
            input_values=fields.get("input_values"),
            output_values=fields.get("output_values"),
            action=fields.get("action") or "INIT",
            status=fields.get("status") or "COMPLETE",
            reason=fields.get("status_reason") or "",
            created_at=now,
            updated_at=now,
        )
        changes = Changes()
        changes.insert(tables.software_deployment, **records.as_row(made))
        self.writer.write(changes)
        return made

    def update_deployment(
        self, caller: Caller, deployment: records.SoftwareDeployment, **fields: Any
    ) -> records.SoftwareDeployment:
        names = {"config_id": "config", "status_reason": "reason"}
        values = {names.get(name, name): value for name, value in fields.items()}
        if "config" in values:
            self._config(caller, values["config"])
        values["updated_at"] = self.clock()
        changes = Changes()
        changes.update(tables.software_deployment, deployment.id, **values)
        self.writer.write(changes)
        return records.changed(deployment, **values)

    def delete_deployment(self, caller: Caller, deployment: records.SoftwareDeployment) -> None:
        changes = Changes()
        changes.delete(tables.software_deployment, deployment.id)
        self.writer.write(changes)

    def _config(self, caller: Caller, id: str) -> None:
        """Raises NotFound unless the caller's project has the config."""
        table = tables.software_config
        with reading(self.database).connect() as connection:
            query = select(table.c.id).where(table.c.id == id, table.c.project == caller.project)
            if connection.execute(query).first() is None:
                raise NotFound("Software config", id)
