"""Software configs and deployments, as users and agents make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table, select

from calor.clouds.errors import CloudError
from calor.engine import server_metadata
from calor.engine.configs import changed_deployment, new_config, new_deployment
from calor.service.base import Base
from calor.service.caller import Caller
from calor.service.deposits import owner_services
from calor.service.errors import Forbidden, NotFound, ServiceError
from calor.service.kept_reports import kept_report, place_of
from calor.store import records, tables
from calor.store.database import reading
from calor.store.writer import Changes
from calor.types.heat.deriving import outcome


class SoftwareCommands(Base):
    def create_config(self, caller: Caller, fields: Mapping[str, Any]) -> records.SoftwareConfig:
        """Raises ServiceError if the project has as many as it may."""
        caller = caller.at_home()
        self._check_number(caller, tables.software_config, self.limits.configs_per_project, "configs")
        made = new_config(caller.project, fields, self.clock())
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
            raise ServiceError("InvalidRestrictedAction", message)
        changes = Changes()
        changes.delete(tables.software_config, config.id)
        self.writer.write(changes)

    def create_deployment(self, caller: Caller, fields: Mapping[str, Any]) -> records.SoftwareDeployment:
        """Raises NotFound if there is no such config, ServiceError if the project has as many as it may, or if others
        than its own servers would read it."""
        caller = caller.at_home()
        self._config(caller, fields["config"])
        self._check_readers(caller, fields.get("stack_user_project"))
        limit = self.limits.deployments_per_project
        self._check_number(caller, tables.software_deployment, limit, "deployments")
        made = new_deployment(caller.project, fields, self.clock())
        changes = Changes()
        changes.insert(tables.software_deployment, **records.as_row(made))
        self.writer.write(changes)
        self._tell(caller, made)
        return made

    def update_deployment(
        self, caller: Caller, deployment: records.SoftwareDeployment, fields: Mapping[str, Any]
    ) -> records.SoftwareDeployment:
        """Raises NotFound if it is to have a config that there is not."""
        if "config" in fields:
            self._config(caller, fields["config"])
        values = changed_deployment(fields, self.clock())
        changes = Changes()
        changes.update(tables.software_deployment, deployment.id, **values)
        self.writer.write(changes)
        if "config" in fields:
            self._tell(caller, deployment)
        return records.changed(deployment, **values)

    def refresh_deployment(
        self, caller: Caller, deployment: records.SoftwareDeployment
    ) -> records.SoftwareDeployment:
        """The deployment with what its server has reported meanwhile, if nobody else fetches reports on it. Only
        where the caller is at home: others would look into an object store of their own."""
        if deployment.status != "IN_PROGRESS" or deployment.project != caller.home:
            return deployment
        with reading(self.database).connect() as connection:
            table = tables.software_config
            query = select(table.c.config).where(
                table.c.id == deployment.config, table.c.project == deployment.project
            )
            config: dict[str, Any] = connection.execute(query).scalar() or {}
        place = place_of(config)
        details = self._kept_report(caller, *place) if place is not None else None
        if details is None:
            return deployment
        found = outcome(config, deployment.output_values or {}, details)
        return self.update_deployment(caller, deployment, found.fields)

    def _kept_report(self, caller: Caller, container: str, name: str) -> Mapping[str, Any] | None:
        try:
            services = self.services_of(caller)
        except ServiceError:
            return None
        return kept_report(services, container, name) if services is not None else None

    def delete_deployment(self, caller: Caller, deployment: records.SoftwareDeployment) -> None:
        changes = Changes()
        changes.delete(tables.software_deployment, deployment.id)
        self.writer.write(changes)
        self._tell(caller, deployment)

    def _tell(self, caller: Caller, deployment: records.SoftwareDeployment) -> None:
        """Lets the agent of a server know that waits at the object store. A caller from another project, which can be
        an admin, has an object store of its own: there the stack's owner writes. Raises ServiceError."""
        server = deployment.server
        with reading(self.database).connect() as connection:
            found = server_metadata.notices(connection, server, deployment.project)
        at_home = deployment.project == caller.home
        own = self.services_of(caller) if found and at_home else None
        try:
            for notice in found:
                services = own if at_home else owner_services(self.vault, self.database, notice.credentials)
                if services is not None:
                    services.send("object", "PUT", notice.container, notice.object, body=notice.document)
        except CloudError as error:
            message = f"The server {server} cannot be told of its deployments: {error.message}"
            raise ServiceError("HTTPServiceUnavailable", message) from None

    def _check_number(self, caller: Caller, table: Table, allowed: int | None, what: str) -> None:
        """Admins may have any number. Raises ServiceError."""
        if not caller.is_admin:
            message = f"You have reached the maximum software {what} per tenant"
            self.check_count(allowed, message, table.c.project == caller.project)

    def _check_readers(self, caller: Caller, project: str | None) -> None:
        """Raises Forbidden unless the users of a project, as which servers read what they have to apply, are those of
        a stack of the caller's."""
        if project is None or project == caller.project:
            return
        table = tables.stack
        own = select(table.c.id).where(table.c.user_project == project, table.c.project == caller.project)
        with reading(self.database).connect() as connection:
            if connection.execute(own.limit(1)).first() is None:
                raise Forbidden(f"The project {project} is not that of users of a stack of yours.")

    def _config(self, caller: Caller, id: str) -> None:
        """Raises NotFound unless the caller's project has the config."""
        table = tables.software_config
        with reading(self.database).connect() as connection:
            query = select(table.c.id).where(table.c.id == id, table.c.project == caller.project)
            if connection.execute(query).first() is None:
                raise NotFound("Software config", id)
