"""Resources in memory during a run; rows are written from these."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.clouds.errors import CloudError
from calor.language.definition import Definition
from calor.language.evaluation import evaluate_outputs
from calor.language.expressions import FunctionError
from calor.language.hiding import without
from calor.language.values import Secret, Unknown, bare, concealed, has_secret
from calor.plan.marking import marked, marked_reference, secret_texts
from calor.plan.present import Row, with_masks
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonMapping, JsonObject
from calor.store import records
from calor.store.outages import is_transient

ERROR = "__error__"
"""Marks an attribute that could not be read from the nested stack."""

READY_ACTIONS = frozenset({"CREATE", "ADOPT", "SUSPEND", "RESUME", "UPDATE", "ROLLBACK", "SNAPSHOT", "CHECK"})
"""Actions after which a resource has attributes."""


@dataclass(slots=True)
class ResourceState:
    """One resource row. `stored` distinguishes an update from an insert."""

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
    properties: JsonObject = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    attributes: JsonObject = field(default_factory=dict)
    data: JsonObject = field(default_factory=dict)
    requires: list[str] = field(default_factory=list)
    replaces: str | None = None
    replaced_by: str | None = None
    reference: Any = None
    """What get_resource returns, if not the physical id."""
    stored: bool = False

    @property
    def state(self) -> str:
        return f"{self.action}_{self.status}"

    def set_properties(self, values: JsonMapping) -> None:
        """Sets evaluated properties, and stores masks of secret ones."""
        self.properties = bare(dict(values))
        self.data = with_masks(self.data, values)

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

    def row(self) -> JsonObject:
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


class RowStates:
    """What template functions read of a stack's resources."""

    def __init__(self, resources: Mapping[str, Row]) -> None:
        self._resources = resources

    def reference(self, name: str) -> Any:
        resource = self._resources.get(name)
        if resource is None or resource.action == "INIT":
            return Unknown(name)
        if resource.reference is not None:
            return marked_reference(resource)
        return resource.physical_id if resource.physical_id is not None else name

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        state = self._resources.get(resource)
        if state is None or state.action not in READY_ACTIONS:
            return None
        whole = key(attribute, *path)
        found = state.attributes.get(whole if whole in state.attributes else attribute)
        if isinstance(found, dict) and ERROR in found:
            raise FunctionError(found[ERROR])
        if whole in state.attributes:
            return marked(state, whole, found)
        return follow(marked(state, attribute, found), path)

    def all_attributes(self, resource: str) -> Any:
        state = self._resources.get(resource)
        if state is None or state.action not in READY_ACTIONS:
            return None
        return {
            name: marked(state, name, value) for name, value in state.attributes.items() if name != "show"
        }


def key(*path: Any) -> str:
    """The key of a stored attribute: its name, or the whole path if only a nested stack can resolve it."""
    return str(path[0]) if len(path) == 1 else json.dumps(path)


def stored_outputs(definition: Definition, names: Iterable[str], states: RowStates) -> dict[str, JsonObject]:
    """Outputs in stored form: `value`, `secret` if it contains secrets, or `error`."""
    kept: dict[str, JsonObject] = {}
    for name, value, error in evaluate_outputs(definition, names, states):
        if error is not None:
            kept[name] = {"value": None, "error": error.message}
        else:
            kept[name] = {"value": bare(value), **({"secret": True} if has_secret(value) else {})}
    return kept


def follow(value: Any, path: Sequence[Any]) -> Any:
    """The value at a path in an attribute, secret if the attribute is; None if the path does not exist."""
    for index, step in enumerate(path):
        if isinstance(value, Secret):
            return concealed(follow(value.reveal(), path[index:]))
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
    """The run was stopped, or has lost its lease."""

    def __init__(self) -> None:
        super().__init__("the run was stopped")


class LeaseLost(Exception):
    """The lease has expired, so no more requests are sent. Raised in threads: see `Run.in_thread`."""

    def __init__(self, stack: str) -> None:
        super().__init__(stack)
        self.stack = stack


class StepFailed(Exception):
    """A step on a resource failed; `kind` is the error class in reasons."""

    def __init__(self, kind: str, message: str, *, nested: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.nested = nested
        """Whether the message begins with the path of a resource."""

    def stored(self) -> JsonObject:
        """The arguments that recreate the failure."""
        return {"kind": self.kind, "message": self.message, "nested": self.nested}

    def without_secrets(self, resource: Row, others: Collection[str] = ()) -> StepFailed:
        """The failure without the secrets of the resource's properties, and others: services repeat what they were
        sent."""
        message = str(without(self.message, secret_texts(resource).union(others)))
        return StepFailed(self.kind, message, nested=self.nested)

    def at(self, name: str) -> StepFailed:
        """The failure as seen from the stack: its message begins with the path of the resource."""
        place = f"resources[{name}]" if name.isdigit() else f"resources.{name}"
        if not self.nested and self.message.startswith((f"{place}.", f"Resources.{name}.")):
            # The message already has the path of a part of the resource.
            return StepFailed(self.kind, self.message, nested=True)
        separator = "." if self.nested else ": "
        return StepFailed(self.kind, f"{place}{separator}{self.message}", nested=True)

    @property
    def reason(self) -> str:
        return f"{self.kind}: {self.message}" if self.kind else self.message

    @classmethod
    def cancelled(cls, action: str) -> StepFailed:
        """For a stack whose action was cancelled, in Heat's words."""
        return cls("", f"Stack {action} cancelled")

    @classmethod
    def of(cls, error: Exception) -> StepFailed:
        """Raises database errors as they are: no resource has failed then, and the run is resumed later."""
        if is_transient(error):
            raise error
        if isinstance(error, StepFailed):
            return error
        if isinstance(error, (FunctionError, ResourceFailed)):
            return cls(error.kind, error.message)
        if isinstance(error, CloudError):
            return cls(type(error).__name__, error.traceable)
        return cls(type(error).__name__, str(error))
