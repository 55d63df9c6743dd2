"""Stacks and resources in memory while they are walked. What is written down follows from these."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.clouds.errors import CloudError
from calor.language.expressions import FunctionError
from calor.language.values import Unknown, bare, has_secret
from calor.plan.present import Row, noting_masks
from calor.store import records
from calor.store.outages import is_passing
from calor.types.behaviour import ResourceFailed

ERROR = "__error__"
"""Marks an attribute that the stack below could not give."""

READY_ACTIONS = frozenset({"CREATE", "ADOPT", "SUSPEND", "RESUME", "UPDATE", "ROLLBACK", "SNAPSHOT", "CHECK"})
"""Actions after which a resource has attributes."""


@dataclass(slots=True)
class ResourceState:
    """One resource row. `stored` tells an insert from an update."""

    id: str
    stack: str
    name: str
    type_name: str
    action: str = "INIT"
    status: str = "COMPLETE"
    reason: str = ""
    physical_id: str | None = None
    created_at: float = 0.0
    updated_at: float | None = None
    definition: str | None = None
    properties: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    requires: list[str] = field(default_factory=list)
    replaces: str | None = None
    replaced_by: str | None = None
    reference: Any = None
    """What get_resource gives, where that is not the physical id."""
    stored: bool = False

    @property
    def state(self) -> str:
        return f"{self.action}_{self.status}"

    def hold(self, values: Mapping[str, Any]) -> None:
        """Gives it properties, as they were evaluated: how those are shown that are secret is kept beside them."""
        self.properties = bare(dict(values))
        self.data = noting_masks(self.data, values)

    @classmethod
    def of(cls, row: records.Resource) -> ResourceState:
        data = dict(row.data or {})
        return cls(
            id=row.id,
            stack=row.stack,
            name=row.name,
            type_name=row.type,
            action=row.action,
            status=row.status,
            reason=row.reason,
            physical_id=row.physical_id,
            created_at=row.created_at,
            updated_at=row.updated_at,
            definition=row.definition,
            properties=dict(row.properties or {}),
            metadata=dict(row.metadata or {}),
            attributes=dict(row.attributes or {}),
            data=data,
            requires=list(row.requires),
            replaces=row.replaces,
            replaced_by=row.replaced_by,
            reference=data.get("_reference"),
            stored=True,
        )

    def row(self) -> dict[str, Any]:
        return {
            "stack": self.stack,
            "name": self.name,
            "type": self.type_name,
            "physical_id": self.physical_id,
            "action": self.action,
            "status": self.status,
            "reason": self.reason,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "definition": self.definition,
            "properties": self.properties,
            "metadata": self.metadata,
            "attributes": self.attributes,
            "data": {**self.data, "_reference": self.reference} if self.reference is not None else self.data,
            "requires": self.requires,
            "replaces": self.replaces,
            "replaced_by": self.replaced_by,
        }


class LiveStates:
    """What functions read of resources while a stack is walked."""

    def __init__(self, resources: Mapping[str, Row]) -> None:
        self._resources = resources

    def reference(self, name: str) -> Any:
        resource = self._resources.get(name)
        if resource is None or resource.action == "INIT":
            return Unknown(name)
        if resource.reference is not None:
            return resource.reference
        return resource.physical_id if resource.physical_id is not None else name

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        state = self._resources.get(resource)
        if state is None or state.action not in READY_ACTIONS:
            return None
        whole = key(attribute, *path)
        found = state.attributes.get(whole if whole in state.attributes else attribute)
        if isinstance(found, dict) and ERROR in found:
            raise FunctionError(found[ERROR])
        return found if whole in state.attributes else follow(found, path)

    def all_attributes(self, resource: str) -> Any:
        state = self._resources.get(resource)
        if state is None or state.action not in READY_ACTIONS:
            return None
        return {name: value for name, value in state.attributes.items() if name != "show"}


def key(*path: Any) -> str:
    """What an attribute is stored under: its name, or the whole path for one that only a stack below can
    follow."""
    return str(path[0]) if len(path) == 1 else json.dumps(path)


def valued(value: Any) -> dict[str, Any]:
    """What is kept of an output: its value, and whether that is secret or holds a secret."""
    return {"value": bare(value), **({"secret": True} if has_secret(value) else {})}


def follow(value: Any, path: Sequence[Any]) -> Any:
    """What a path leads to in an attribute's value; None where it ends early."""
    for step in path:
        try:
            if isinstance(value, (dict, list, str)) and not (
                isinstance(value, str) and isinstance(step, str)
            ):
                value = value[step]
            else:
                return None
        except (KeyError, IndexError, TypeError):
            return None
    return value


class Stopped(Exception):
    """The run was told to stop, or has lost its stack."""

    def __init__(self) -> None:
        super().__init__("the run was stopped")


class LeaseLost(Exception):
    """Somebody else may be working on the stack by now, so that nothing more is sent. Raised in threads: see
    `Run.in_thread`."""

    def __init__(self, stack: str) -> None:
        super().__init__(stack)
        self.stack = stack


class StepFailed(Exception):
    """A step on a resource failed; `kind` names the class of error in reasons."""

    def __init__(self, kind: str, message: str, *, nested: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.nested = nested
        """Whether the message begins with the path of a resource below."""

    def stored(self) -> dict[str, Any]:
        """What it takes to make the same failure again."""
        return {"kind": self.kind, "message": self.message, "nested": self.nested}

    def at(self, name: str) -> StepFailed:
        """The failure as seen from the stack: its message begins with the path of the resource."""
        place = f"resources[{name}]" if name.isdigit() else f"resources.{name}"
        if not self.nested and self.message.startswith((f"{place}.", f"Resources.{name}.")):
            # It is about a part of the resource, and says so.
            return StepFailed(self.kind, self.message, nested=True)
        separator = "." if self.nested else ": "
        return StepFailed(self.kind, f"{place}{separator}{self.message}", nested=True)

    @property
    def reason(self) -> str:
        return f"{self.kind}: {self.message}" if self.kind else self.message

    @classmethod
    def cancelled(cls, action: str) -> StepFailed:
        """Of a stack whose action was ended by somebody, in Heat's words."""
        return cls("", f"Stack {action} cancelled")

    @classmethod
    def of(cls, error: Exception) -> StepFailed:
        """Raises the error itself if it is the database's: no resource has failed then, the run breaks off, and is
        taken up again."""
        if is_passing(error):
            raise error
        if isinstance(error, StepFailed):
            return error
        if isinstance(error, (FunctionError, ResourceFailed)):
            return cls(error.kind, error.message)
        if isinstance(error, CloudError):
            return cls(type(error).__name__, error.traceable)
        return cls(type(error).__name__, str(error))
