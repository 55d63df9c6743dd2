"""The way to the use cases, for every API: whoever comes is held against the policy first."""

from __future__ import annotations

from dataclasses import dataclass

from calor.service.caller import Caller
from calor.service.commands import Commands
from calor.service.policy import Policy
from calor.service.queries import Queries
from calor.service.queries.services import Services


@dataclass(frozen=True, slots=True)
class Admitted:
    """The use cases, for a caller whom the policy lets in."""

    queries: Queries
    commands: Commands
    policy: Policy


class Gate:
    """An API is given this, and not the use cases themselves: it cannot forget to ask the policy."""

    def __init__(self, queries: Queries, commands: Commands, policy: Policy) -> None:
        commands.check_types = policy.enforce_types
        commands.types_denied = policy.types_denied
        self._inside = Admitted(queries, commands, policy)

    def admit(self, caller: Caller, rule: str) -> Admitted:
        """Raises Forbidden unless the policy allows the caller what the rule is about."""
        self._inside.policy.enforce(caller, rule)
        return self._inside

    @property
    def services(self) -> Services:
        """The state of the server itself, for those who watch it: it has no caller."""
        return self._inside.queries.services
