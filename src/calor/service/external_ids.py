"""Looks up the objects that templates refer to by an `external_id`, before a stack depends on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calor.clouds.errors import CloudError, Transient
from calor.language.definition import Definition, ResourceDefinition
from calor.language.expressions import FunctionError, resolve_top
from calor.language.library import ResolvedType
from calor.language.values import bare, has_unknown
from calor.plan.type_facts import has_nested_stack
from calor.resources.contract import contract_of
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonMapping
from calor.service.cloud_reader import CallerCloud
from calor.service.errors import ServiceError
from calor.stacks.external import exists
from calor.store import software, stacks
from calor.store.database import Connection, Database, reading
from calor.store.records import Document

if TYPE_CHECKING:
    from calor.clouds.heat import RemoteHeat
    from calor.stacks.vault import Vault


@dataclass(frozen=True, slots=True)
class LookupScope:
    """Where to look up objects for a caller in a project. Without a cloud, only objects stored by Calor are found."""

    database: Database
    project: str
    cloud: CallerCloud | None = None
    vault: Vault | None = None
    token: str = ""


def check_external_ids(definition: Definition, open_scope: Callable[[], LookupScope]) -> None:
    """Raises ServiceError if a resource of a stack or a nested stack refers to an object that the caller's project does
    not have. The engine looks up ids that are not known yet."""
    external = list(_external(definition))
    if external:
        asyncio.run(_check(external, open_scope()))


async def _check(external: list[tuple[ResourceDefinition, str]], scope: LookupScope) -> None:
    for resource, id in external:
        if scope.cloud is None and not _is_stored_here(resource.resource_type):
            continue
        try:
            there = await exists(resource.resource_type, ExternalIdContext(scope, id, bare(resource.values)))
        except (Transient, ResourceFailed) as error:
            message = f"The external_id of {resource.name} cannot be looked up at present: {error}"
            raise ServiceError("HTTPServiceUnavailable", message) from None
        except CloudError:
            there = False
        if not there:
            message = (
                f"Invalid external resource: {resource.name} refers to the {resource.type_name} {id}, "
                "which could not be found in the project."
            )
            raise ServiceError("StackValidationFailed", message)


def _external(definition: Definition) -> Iterator[tuple[ResourceDefinition, str]]:
    for resource in definition.resources.values():
        if resource.text.external_id is not None:
            try:
                value = resolve_top(resource.external_expression, definition.scope)
            except FunctionError:
                continue
            if not has_unknown(value):
                yield resource, str(bare(value))
        elif resource.child is not None:
            yield from _external(resource.child)


def _is_stored_here(found: ResolvedType | None) -> bool:
    return has_nested_stack(found) or contract_of(found).stored_in_database


@dataclass(frozen=True, slots=True)
class ExternalIdContext:
    """See `calor.resources.context.LookupContext`."""

    scope: LookupScope
    physical_id: str
    properties: JsonMapping
    data: JsonMapping = field(default_factory=dict)

    async def cloud(self, region: str | None = None) -> CallerCloud:
        assert self.scope.cloud is not None
        return self.scope.cloud

    async def config(self, id: str) -> Document | None:
        return {"id": id} if self._has(software.has_config, id) else None

    async def deployment(self, id: str) -> Document | None:
        return {"id": id} if self._has(software.has_deployment, id) else None

    async def owns_stack(self, id: str) -> bool:
        return self._has(stacks.is_in_project, id)

    async def remote_stacks(self, place: JsonMapping) -> RemoteShows:
        assert self.scope.vault is not None
        return RemoteShows(self.scope.vault.heat_for(self.scope.token, place.get("region_name")))

    def _has(self, is_there: Callable[[Connection, str, str], bool], id: str) -> bool:
        with reading(self.scope.database).connect() as connection:
            return is_there(connection, self.scope.project, id)


class RemoteShows:
    """See `calor.resources.services.RemoteReader`."""

    def __init__(self, heat: RemoteHeat) -> None:
        self._heat = heat

    async def show(self, id: str) -> Document | None:
        return await asyncio.to_thread(self._heat.show, id)
