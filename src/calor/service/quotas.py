"""The operator's limits for projects, stacks and requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from calor.language.definition import Definition, ResourceDefinition
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.service.signal_limits import SignalLimits
from calor.store import records, snapshots, software, stacks
from calor.store.database import Connection, Database, reading


@dataclass(frozen=True, slots=True)
class Limits:
    """None means no limit."""

    stacks_per_project: int | None = None
    resources_per_stack: int | None = None
    snapshots_per_stack: int | None = None
    configs_per_project: int | None = None
    deployments_per_project: int | None = None
    signals_per_resource: int = 1000
    preview_seconds: float = 60.0
    """The time limit for a plan."""


@dataclass(slots=True)
class Quotas:
    """Each method raises ServiceError if a limit is reached. Admins may have any number of stacks, configs and
    deployments."""

    database: Database
    limits: Limits = field(default_factory=Limits)

    def check_stacks(self, caller: Caller) -> None:
        message = "You have reached the maximum stacks per tenant"
        self._check_project(caller, self.limits.stacks_per_project, message, stacks.count_roots)

    def check_configs(self, caller: Caller) -> None:
        message = "You have reached the maximum software configs per tenant"
        self._check_project(caller, self.limits.configs_per_project, message, software.count_configs)

    def check_deployments(self, caller: Caller) -> None:
        message = "You have reached the maximum software deployments per tenant"
        self._check_project(caller, self.limits.deployments_per_project, message, software.count_deployments)

    def check_snapshots(self, stack: records.Stack) -> None:
        message = "You have reached the maximum snapshots per stack"
        self._check(self.limits.snapshots_per_stack, message, snapshots.count, stack.id)

    def check_resources(self, definition: Definition) -> None:
        allowed = self.limits.resources_per_stack
        if allowed is not None and _count(definition) > allowed:
            raise ServiceError("RequestLimitExceeded", f"Maximum resources per stack exceeded: {allowed}.")

    def preview_deadline(self, clock: Callable[[], float] = time.monotonic) -> Callable[[], None]:
        """Returns a function that raises ServiceError once a preview that starts now takes too long."""
        allowed = self.limits.preview_seconds
        end = clock() + allowed

        def check() -> None:
            if clock() > end:
                raise ServiceError(
                    "RequestLimitExceeded", f"The preview takes longer than {allowed:g} seconds."
                )

        return check

    def signals(self, size: int) -> SignalLimits:
        """The limits for the signals of one resource, whose values may have `size` bytes."""
        return SignalLimits(self.limits.signals_per_resource, size)

    def _check_project(
        self,
        caller: Caller,
        allowed: int | None,
        message: str,
        count: Callable[[Connection, str], int],
    ) -> None:
        if not caller.is_admin:
            self._check(allowed, message, count, caller.project)

    def _check(
        self, allowed: int | None, message: str, count: Callable[[Connection, str], int], owner: str
    ) -> None:
        if allowed is None:
            return
        with reading(self.database).connect() as connection:
            if count(connection, owner) >= allowed:
                raise ServiceError("RequestLimitExceeded", f"{message}, {allowed}.")


def _count(definition: Definition) -> int:
    """The number of resources of a stack and its nested stacks. In a group, one member may represent all."""
    return len(definition.resources) + sum(map(_count_nested, definition.resources.values()))


def _count_nested(resource: ResourceDefinition) -> int:
    if resource.child is None:
        return 0
    defined = len(resource.child.resources)
    members = (
        resource.resource_type.member_count(resource.values)
        if isinstance(resource.resource_type, type)
        else defined
    )
    return _count(resource.child) * max(members, defined) // max(defined, 1)
