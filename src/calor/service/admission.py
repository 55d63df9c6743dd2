"""Decides whether a request for a stack is accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import Diagnostic, Report
from calor.language.library import TemplateType, World
from calor.language.parameters import StackIdentity
from calor.resources.values import JsonObject
from calor.service.availability import (
    check_available,
    check_extensions,
    extended,
    lacking_extensions,
)
from calor.service.caller import Caller
from calor.service.caller_services import CallerServices
from calor.service.errors import Invalid, StackExists
from calor.service.external_ids import check_external_ids
from calor.service.quotas import Quotas
from calor.service.request_merging import merged_request
from calor.service.requests import Request, StackChange
from calor.service.type_uses import located_in
from calor.stacks import definitions
from calor.store import records, stacks
from calor.store.database import Database, reading


class TypePolicy(Protocol):
    """Which resource types a caller may use."""

    def enforce_types(self, caller: Caller, types: Iterable[str], /) -> None:
        """Raises ServiceError if the caller may not use one of the types."""

    def types_denied(self, caller: Caller, /) -> list[str]:
        """The types that the caller may not use."""


class EveryType:
    """Allows every type to everyone."""

    def enforce_types(self, caller: Caller, types: Iterable[str]) -> None:
        pass

    def types_denied(self, caller: Caller) -> list[str]:
        return []


@dataclass(slots=True)
class Admission:
    database: Database
    world: World
    quotas: Quotas
    services: CallerServices
    policy: TypePolicy

    def define(self, caller: Caller, request: Request, identity: StackIdentity) -> Definition:
        """Defines the stack of a request. Raises ServiceError if the request is invalid or too large, if the caller may
        not use one of the types, or if a required service is missing."""
        live = self.services.constraints(caller, self.world)
        world = replace(self.world, max_resources=self.quotas.limits.resources_per_stack)
        if live is not None:
            world = replace(world, custom=live, availability_zones=live.zones)
        definition, report = definitions.define(request, world, identity)
        errors = blocking(report)
        if errors or definition is None:
            raise Invalid.of(errors or list(report))
        self.quotas.check_resources(definition)
        with located_in(definition):
            self.check_types(caller, list(dict.fromkeys(types_of(definition))))
        if live is not None:
            live.check_services()
        check_external_ids(definition, lambda: self.services.lookup_scope(caller, identity.project))
        return definition

    def completed(self, caller: Caller, request: Request, definition: Definition) -> JsonObject:
        """A request with what is stored with it: the fetched templates, and the types that the caller may not use in
        nested stacks that are defined later."""
        files = {**definition.library.fetched, **(request.get("files") or {})}
        denied = self.policy.types_denied(caller) if any(map(_nests, definition.resources.values())) else []
        return {**request, "files": files, definitions.DENIED: denied}

    def updated_request(self, stack: records.Stack, change: StackChange) -> JsonObject:
        """The complete request for an update, with what it keeps from the stack."""
        if not change.existing:
            return dict(change.request)
        with reading(self.database).connect() as connection:
            before = definitions.load(connection, stack.definition)
        return merged_request(before, change.request, change.clear_parameters, self.world)

    def check_new(self, caller: Caller, name: str) -> None:
        """Raises ServiceError unless the caller's project may have another stack with this name."""
        with reading(self.database).connect() as connection:
            if stacks.is_name_taken(connection, caller.project, name):
                raise StackExists(name)
        self.quotas.check_stacks(caller)

    def check_types(self, caller: Caller, types: Sequence[str]) -> None:
        """Raises ServiceError if the caller may not use one of the types, or its service is missing."""
        self.policy.enforce_types(caller, types)
        check_available(self.world, caller, types, to_create=True)
        self.check_extensions(caller, types)

    def check_extensions(self, caller: Caller, types: Sequence[str]) -> None:
        """Raises ServiceError if a service lacks the extension that one of the types needs."""
        needing = extended(self.world, types)
        if needing:
            check_extensions(needing, self.services.extensions(caller))

    def without_extension(self, caller: Caller, types: Sequence[str]) -> frozenset[str]:
        """The types whose service lacks a required extension."""
        needing = extended(self.world, types)
        lacking = lacking_extensions(needing, self.services.extensions(caller)) if needing else ()
        return frozenset(one.type_name for one in lacking)


def blocking(report: Report) -> list[Diagnostic]:
    """The errors for which a server refuses a template, in the order in which Heat finds them."""
    return [found for found in report if found.is_fatal]


def types_of(definition: Definition) -> Iterator[str]:
    """The types of the resources of a stack and its nested stacks, without templates."""
    for resource in definition.resources.values():
        if isinstance(resource.resource_type, type):
            yield resource.resource_type.type_name
        if resource.child is not None:
            yield from types_of(resource.child)


def _nests(resource: ResourceDefinition) -> bool:
    """Whether a resource has a nested stack, or will have one."""
    return isinstance(resource.resource_type, TemplateType) or (
        resource.resource_type is not None and resource.resource_type.nested_stack
    )
