"""The options of the action on a stack (`stack.run`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from calor.resources.values import JsonMapping, JsonObject
from calor.store import records


@dataclass(frozen=True, slots=True)
class RunNotes:
    """Stored as JSON, without the fields that have their defaults."""

    origin: Mapping[str, str] = field(default_factory=dict)
    """The request that started the action: `request_id`, `traceparent`."""
    converge: bool = False
    """The update compares the stack with the real resources."""
    cancelled: bool = False
    """The action was cancelled; running steps are completed."""
    adopt: JsonMapping = field(default_factory=dict)
    """The adoption data of each resource, by name."""
    retain: bool = False
    """Nothing is deleted in the cloud: the stack is abandoned, or its adoption is rolled back."""
    empty: bool = False
    """The rollback removes all resources."""
    snapshot: str | None = None
    """The id of the snapshot that is created or restored."""
    signal: str | None = None
    """The signal that caused an update of this nested stack alone."""

    @classmethod
    def of(cls, stack: records.Stack) -> RunNotes:
        return cls.read(stack.run)

    @classmethod
    def read(cls, stored: JsonMapping) -> RunNotes:
        return cls(**{name: value for name, value in stored.items() if name in _NAMES})

    def stored(self) -> JsonObject:
        return {name: value for name in _NAMES if (value := getattr(self, name)) not in (None, False, {})}

    def adopted(self, name: str) -> JsonMapping:
        """The adoption data of a resource."""
        return self.adopt.get(name) or {}


_NAMES = tuple(each.name for each in fields(RunNotes))
