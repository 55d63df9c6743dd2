"""The metadata of resources as agents read it, through any API."""

from __future__ import annotations

from typing import Protocol

from calor.api.heat import views
from calor.resources.values import JsonObject
from calor.service.caller import Caller
from calor.service.commands import Commands
from calor.service.policy import Policy
from calor.service.queries import Queries
from calor.store import records
from calor.types.heat.software import agent_settings


class UseCases(Protocol):
    @property
    def queries(self) -> Queries: ...
    @property
    def commands(self) -> Commands: ...
    @property
    def policy(self) -> Policy: ...


def sees_credentials(use_cases: UseCases, caller: Caller) -> bool:
    """Whether the caller sees credentials of resources: only those who can signal resources without them."""
    return use_cases.policy.allows(caller, "resource:signal")


def metadata_of(use_cases: UseCases, caller: Caller, stack: records.Stack, name: str) -> JsonObject:
    """The metadata of a resource; that of a server includes its deployments. Raises ServiceError."""
    reveals = sees_credentials(use_cases, caller)
    found = use_cases.queries.resources.metadata(caller, stack, name, reveals=reveals)
    if agent_settings.SETTINGS not in found:
        return found
    # A server's agent reads its deployments from the metadata of the server.
    server = use_cases.queries.resources.get(stack, name).physical_id or ""
    configs = use_cases.queries.deployments.of_server(caller, server)
    record_fetch(use_cases, caller, server)
    return {**found, "deployments": [views.deployed_config(one, reveals=reveals) for one in configs]}


def record_fetch(use_cases: UseCases, caller: Caller, server: str) -> None:
    """Notes that an agent has read the deployments of its server; agents are users that stacks have created."""
    if caller.is_stack_user:
        use_cases.commands.progress.record_fetch(use_cases.queries.deployments.unfetched(caller, server))
