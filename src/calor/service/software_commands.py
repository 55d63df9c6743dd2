"""Creates, updates and deletes software configs and deployments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calor.clouds.errors import CloudError
from calor.language.budget import LIMIT
from calor.language.library import World
from calor.language.values import size_of
from calor.lifecycle import Status
from calor.resources.values import JsonMapping
from calor.service.caller import Caller
from calor.service.caller_services import CallerServices
from calor.service.deployment_reports import read_report, report_object
from calor.service.errors import Forbidden, NotFound, ServiceError
from calor.service.intents import Intents
from calor.service.quotas import Quotas
from calor.service.trusts import owner_services
from calor.stacks import software
from calor.store import records, stacks
from calor.store import software as software_rows
from calor.store.database import Database, reading
from calor.store.writer import Changes
from calor.types.heat.software.derived_config import outcome

Fields = Mapping[str, Any]
"""Fields of a config or a deployment, by their names in Heat's API."""


@dataclass(frozen=True, slots=True)
class SoftwareCommands:
    """All methods raise ServiceError."""

    database: Database
    world: World
    quotas: Quotas
    services: CallerServices
    intents: Intents

    def create_config(self, caller: Caller, fields: Fields) -> records.SoftwareConfig:
        caller = caller.at_home()
        self._check_sizes(fields)
        self.quotas.check_configs(caller)
        made = software.new_config(caller.project, fields, self.intents.clock())
        changes = Changes()
        software_rows.add_config(changes, made)
        self.intents.writer.write(changes)
        return made

    def delete_config(self, caller: Caller, config: records.SoftwareConfig) -> None:
        with reading(self.database).connect() as connection:
            is_deployed = software_rows.is_deployed(connection, config.id)
        if is_deployed:
            message = (
                f"Software config with id {config.id} can not be deleted as it is referenced by deployments"
            )
            raise ServiceError("InvalidRestrictedAction", message)
        changes = Changes()
        software_rows.delete_config(changes, config.id)
        self.intents.writer.write(changes)

    def create_deployment(self, caller: Caller, fields: Fields) -> records.SoftwareDeployment:
        """The deployment can be read only by servers of the caller's project."""
        caller = caller.at_home()
        self._check_sizes(fields)
        self._check_config(caller, fields["config"])
        self._check_readers(caller, fields.get("stack_user_project"))
        self.quotas.check_deployments(caller)
        made = software.new_deployment(caller.project, fields, self.intents.clock())
        changes = Changes()
        software_rows.add_deployment(changes, made)
        self.intents.writer.write(changes)
        self._notify_server(caller, made)
        return made

    def update_deployment(
        self, caller: Caller, deployment: records.SoftwareDeployment, fields: Fields
    ) -> records.SoftwareDeployment:
        self._check_sizes(fields)
        if "config" in fields:
            self._check_config(caller, fields["config"])
        values = software.changed_deployment(fields, self.intents.clock())
        changes = Changes()
        software_rows.update_deployment(changes, deployment.id, values)
        self.intents.writer.write(changes)
        if "config" in fields:
            self._notify_server(caller, deployment)
        return records.changed(deployment, **values)

    def refresh_deployment(
        self, caller: Caller, deployment: records.SoftwareDeployment
    ) -> records.SoftwareDeployment:
        """The deployment with the result that its server has written to the object store, if no engine reads it. Only
        for callers of the same project: others would read their own object store."""
        if deployment.status != Status.IN_PROGRESS or deployment.project != caller.home:
            return deployment
        with reading(self.database).connect() as connection:
            config = software_rows.get_config(connection, deployment.project, deployment.config) or {}
        place = report_object(config)
        details = self._read_report(caller, *place) if place is not None else None
        if details is None:
            return deployment
        found = outcome(config, deployment.output_values or {}, details)
        return self.update_deployment(caller, deployment, found.fields)

    def _read_report(self, caller: Caller, container: str, name: str) -> JsonMapping | None:
        try:
            services = self.services.of(caller)
        except ServiceError:
            return None
        return read_report(services, container, name) if services is not None else None

    def delete_deployment(self, caller: Caller, deployment: records.SoftwareDeployment) -> None:
        changes = Changes()
        software_rows.delete_deployment(changes, deployment.id)
        self.intents.writer.write(changes)
        self._notify_server(caller, deployment)

    def _notify_server(self, caller: Caller, deployment: records.SoftwareDeployment) -> None:
        """Writes the server's deployments to the object store, if its agent reads them there. For a caller from another
        project, which has its own object store, this uses the rights of the stack's owner."""
        server = deployment.server
        with reading(self.database).connect() as connection:
            found = software.notices(connection, server, deployment.project)
        at_home = deployment.project == caller.home
        own = self.services.of(caller) if found and at_home else None
        try:
            for notice in found:
                services = (
                    own if at_home else owner_services(self.services.vault, self.database, notice.credentials)
                )
                if services is not None:
                    services.send("object", "PUT", notice.container, notice.object, body=notice.document)
        except CloudError as error:
            message = f"The server {server} cannot be notified of its deployments: {error.message}"
            raise ServiceError("HTTPServiceUnavailable", message) from None

    def _check_sizes(self, fields: Fields) -> None:
        allowed = self.world.sizes.value
        for name, value in fields.items():
            if size_of(value, allowed) > allowed:
                raise ServiceError(LIMIT, f"{name} is too large: it may have at most {allowed:,} bytes.")

    def _check_readers(self, caller: Caller, project: str | None) -> None:
        """Raises Forbidden unless the project is the user project of one of the caller's stacks. Servers read their
        configs as users of that project."""
        if project is None or project == caller.project:
            return
        with reading(self.database).connect() as connection:
            if not stacks.has_user_project(connection, caller.project, project):
                raise Forbidden(f"The project {project} is not the user project of one of your stacks.")

    def _check_config(self, caller: Caller, id: str) -> None:
        """Raises NotFound unless the caller's project has the config."""
        with reading(self.database).connect() as connection:
            if not software_rows.has_config(connection, caller.project, id):
                raise NotFound("Software config", id)
