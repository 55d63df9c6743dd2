"""Access to the services of the cloud with the caller's own token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from calor.clouds.errors import CloudError
from calor.clouds.services import Services
from calor.language.library import World
from calor.resources.values import JsonObject
from calor.service.availability import Extensions
from calor.service.caller import Caller
from calor.service.cloud_reader import CallerCloud
from calor.service.errors import NotSupported, ServiceError
from calor.service.external_ids import LookupScope
from calor.service.file_containers import Files, read_files
from calor.service.live_constraints import LiveConstraints
from calor.stacks.vault import Vault
from calor.store.database import Database


@dataclass(frozen=True, slots=True)
class CallerServices:
    """Methods return None if there is no cloud, or if the caller has no token for it."""

    database: Database
    vault: Vault | None = None

    def of(self, caller: Caller) -> Services | None:
        """The services of the caller's cloud. Raises ServiceError."""
        if self.vault is None or not caller.token:
            return None
        try:
            return self.vault.services_for(caller.token)
        except CloudError as error:
            raise ServiceError("HTTPServiceUnavailable", f"The cloud cannot be reached: {error}") from None

    def extensions(self, caller: Caller) -> Extensions | None:
        """Lists the extensions of services."""
        services = self.of(caller)
        if self.vault is None or services is None:
            return None
        return partial(self.vault.shared.lookups.extensions, services)

    def constraints(self, caller: Caller, world: World) -> LiveConstraints | None:
        """Checks values of templates against the cloud."""
        services = self.of(caller)
        if self.vault is None or services is None:
            return None
        return LiveConstraints(services, self.vault.shared.lookups, world.custom)

    def lookup_scope(self, caller: Caller, project: str) -> LookupScope:
        """The scope for looking up objects that templates refer to by an `external_id`."""
        services, cloud = self.of(caller), None
        if self.vault is not None and services is not None:
            cloud = CallerCloud(services, self.vault.shared)
        return LookupScope(self.database, project, cloud, self.vault, caller.token)

    def with_container(self, caller: Caller, container: str, given: Files, max_size: int) -> JsonObject:
        """The given files and those in a container of the object store; given ones take precedence. See
        `file_containers`. Raises ServiceError."""
        services = self.of(caller)
        if services is None:
            raise NotSupported("files_container without an object store is not supported.")
        return {**read_files(services, container, given, max_size), **given}
