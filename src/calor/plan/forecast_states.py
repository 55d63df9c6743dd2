"""What template functions read of resources in a plan: values that stay the same, otherwise unknown ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.language.scope import States
from calor.language.values import Secret, Unknown, concealed, revealed
from calor.resources.values import JsonMapping, JsonObject


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """A resource after a step."""

    id: str
    name: str
    type_name: str
    properties: JsonObject
    """Some may be unknown."""
    metadata: JsonObject
    data: JsonObject
    requires: list[str]
    definition: str | None
    physical_id: str | None = None
    reference: Any = None
    attributes: JsonObject = field(default_factory=dict)
    action: str = "UPDATE"
    status: str = "COMPLETE"
    reason: str = ""
    created_at: float = 0.0
    updated_at: float | None = None
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known in advance about a resource's reference and attributes."""

    keeps_reference: bool = False
    new_reference: bool = False
    """Whether it gets a unique reference."""
    keeps_attributes: bool = False
    has_stack: bool = False
    """Whether it has a nested stack, of which only attributes that were read before are stored."""
    mirrored: JsonMapping = field(default_factory=dict)
    """Attributes that equal properties."""
    stable: frozenset[str] = frozenset()
    """Attributes that stay the same although the resource changes."""


class ForecastStates:
    """The states of a stack's resources when their dependants read them."""

    def __init__(self, present: States) -> None:
        self._present = present
        self._outlooks: dict[str, Outlook] = {}
        self._new: dict[str, Unknown] = {}

    def foresee(self, name: str, outlook: Outlook) -> None:
        self._outlooks[name] = outlook

    def reference(self, name: str) -> Any:
        if self._outlook(name).keeps_reference:
            return self._present.reference(name)
        if self._outlook(name).new_reference:
            return self._new.setdefault(name, Unknown(name, is_new=True))
        return Unknown(name)

    def is_reference(self, value: object, name: str) -> bool:
        """Whether a value is the future reference of a resource."""
        return value is self._new.get(name)

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        outlook = self._outlook(resource)
        if not outlook.keeps_attributes and attribute not in outlook.stable:
            return _below(outlook.mirrored.get(attribute, Unknown(None)), path)
        found = self._present.attribute(resource, attribute, path)
        return Unknown(None) if found is None and outlook.has_stack else found

    def all_attributes(self, resource: str) -> Any:
        outlook = self._outlook(resource)
        known = outlook.keeps_attributes and not outlook.has_stack
        return self._present.all_attributes(resource) if known else Unknown(None)

    def _outlook(self, name: str) -> Outlook:
        return self._outlooks.get(name, Outlook())


def _below(value: Any, path: Sequence[Any]) -> Any:
    """The value at a path in a property that an attribute equals; unknown if the path does not exist there: it may when
    the keys of the property are stored as strings."""
    for step in path:
        whole = revealed(value)
        is_key = isinstance(whole, dict) and isinstance(step, str) and step in whole
        is_index = isinstance(whole, list) and isinstance(step, int) and 0 <= step < len(whole)
        if not (is_key or is_index):
            return Unknown(None)
        value = concealed(whole[step]) if isinstance(value, Secret) else whole[step]
    return value
