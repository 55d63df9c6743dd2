"""The present and the wanted state of a resource, which decisions compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.language.library import ResolvedType
from calor.plan.type_facts import has_nested_stack
from calor.resources.contract import PeerProperties
from calor.resources.values import JsonMapping


@dataclass(frozen=True, slots=True)
class Present:
    """The present state of a resource."""

    type_name: str
    action: str
    status: str
    properties: JsonMapping
    metadata: JsonMapping
    update_policy: JsonMapping
    implementation: str
    """The type's implementation, see `implementation_of`."""
    substitute: str | None = None
    """The type that replaces a deprecated one."""
    external_id: str | None = None
    """Empty for an external resource that was not found."""
    reason: str = ""
    """The status reason."""
    masked: JsonMapping = field(default_factory=dict)
    """The masked values of properties that are or contain secrets."""
    created_in_action: bool = False
    """Whether it was created in the current action, before an engine died."""
    unhealthy: bool = False
    """Whether a user has marked it unhealthy: then even a nested stack is replaced."""
    replaced: bool = False
    """Whether its replacement was begun."""

    @property
    def state(self) -> str:
        return f"{self.action}_{self.status}"


def no_peers(reference: object) -> JsonMapping | None:
    return None


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wanted state of a resource."""

    type_name: str
    resource_type: ResolvedType | None
    properties: JsonMapping
    metadata: object
    update_policy: Any
    external_id: Any = None
    adopting: bool = False
    """Whether the stack adopts objects."""
    restricted: Sequence[str] = ()
    """The actions that the environment restricts: `update`, `replace`."""
    peers: PeerProperties = no_peers
    """The future properties of the stack's resources, as far as known."""

    @property
    def keeps_stack(self) -> bool:
        """Whether the resource has a nested stack."""
        return self.external_id is None and has_nested_stack(self.resource_type)
