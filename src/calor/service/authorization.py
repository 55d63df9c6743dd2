"""Authorization: every API accesses the use cases through the policy."""

from __future__ import annotations

from dataclasses import dataclass

from calor.service.caller import Caller
from calor.service.commands import Commands
from calor.service.policy import Policy
from calor.service.queries import Queries
from calor.service.queries.services import Services


@dataclass(frozen=True, slots=True)
class UseCases:
    queries: Queries
    commands: Commands
    policy: Policy


class Authorizer:
    """APIs get this instead of the use cases, so that they cannot forget to check the policy."""

    def __init__(self, queries: Queries, commands: Commands, policy: Policy) -> None:
        self._use_cases = UseCases(queries, commands, policy)

    def authorize(self, caller: Caller, rule: str) -> UseCases:
        """Raises Forbidden unless the policy's rule allows the caller."""
        self._use_cases.policy.enforce(caller, rule)
        return self._use_cases

    @property
    def services(self) -> Services:
        """The state of the server itself, for monitoring requests, which have no caller."""
        return self._use_cases.queries.services
