"""What functions read of resources while a plan is made: what will still hold, and else that it is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.language.scope import States
from calor.language.values import Unknown


@dataclass(frozen=True, slots=True)
class ForeseenRow:
    """A resource as a step will leave it."""

    id: str
    name: str
    type_name: str
    properties: dict[str, Any]
    """Some may be unknown."""
    metadata: dict[str, Any]
    data: dict[str, Any]
    requires: list[str]
    definition: str | None
    physical_id: str | None = None
    reference: Any = None
    attributes: dict[str, Any] = field(default_factory=dict)
    action: str = "UPDATE"
    status: str = "COMPLETE"
    reason: str = ""
    created_at: float = 0.0
    updated_at: float | None = None
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known beforehand of a resource that its template's functions may read."""

    keeps_reference: bool = False
    new_reference: bool = False
    """Whether its reference will be one that nothing has had before."""
    keeps_attributes: bool = False
    has_stack: bool = False
    """Of a stack below only those attributes are stored that were read before."""
    mirrored: Mapping[str, Any] = field(default_factory=dict)
    """Attributes whose values follow from the properties."""
    steady: frozenset[str] = frozenset()
    """Attributes that stay although the resource changes."""


class ForeseenStates:
    """The states of a stack's resources, each as it will be when its dependants come to read it."""

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

    def is_reference(self, value: Any, name: str) -> bool:
        """Whether a value is the reference of a resource that is yet to be made."""
        return value is self._new.get(name)

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        outlook = self._outlook(resource)
        if not outlook.keeps_attributes and attribute not in outlook.steady:
            return Unknown(None) if path else outlook.mirrored.get(attribute, Unknown(None))
        found = self._present.attribute(resource, attribute, path)
        return Unknown(None) if found is None and outlook.has_stack else found

    def all_attributes(self, resource: str) -> Any:
        outlook = self._outlook(resource)
        known = outlook.keeps_attributes and not outlook.has_stack
        return self._present.all_attributes(resource) if known else Unknown(None)

    def _outlook(self, name: str) -> Outlook:
        return self._outlooks.get(name, Outlook())
