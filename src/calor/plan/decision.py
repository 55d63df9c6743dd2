"""Decides what happens to one resource. Preview and engine ask the same function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from calor.language.library import Found, TemplateType
from calor.language.values import has_unknown


class Kind(Enum):
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    KEEP = "keep"
    FORBIDDEN = "forbidden"
    UNDECIDED = "undecided"
    """Hangs on a value that is not known yet: keep, update or replace."""


@dataclass(frozen=True, slots=True)
class Change:
    """A property before and after."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Decision:
    kind: Kind
    reason: str
    changes: tuple[Change, ...] = ()

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(change.name for change in self.changes)


@dataclass(frozen=True, slots=True)
class Present:
    """A resource as it is."""

    type_name: str
    action: str
    status: str
    properties: Mapping[str, Any]
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A resource as it shall be."""

    type_name: str
    found: Found | None
    properties: Mapping[str, Any]
    metadata: Mapping[str, Any]


def decide(present: Present | None, wanted: Wanted) -> Decision:
    """What has to happen to make the present resource the wanted one."""
    if present is None or present.action == "INIT":
        return Decision(Kind.CREATE, "it does not exist yet")
    if present.action == "DELETE":
        if present.status == "COMPLETE":
            return Decision(Kind.CREATE, "it was deleted")
        return Decision(Kind.REPLACE, "its deletion has begun")
    if not _same_type(present.type_name, wanted):
        return Decision(Kind.REPLACE, f"its type changes from {present.type_name} to {wanted.type_name}")
    if present.status == "FAILED" and not _mends_itself(wanted):
        return Decision(Kind.REPLACE, f"it is in state {present.action}_{present.status}")
    if getattr(wanted.found, "replaced_by_every_update", False):
        return Decision(Kind.REPLACE, "its type is replaced by every update")
    changes = differences(present.properties, wanted.properties)
    if any(has_unknown(change.after) for change in changes):
        names = ", ".join(change.name for change in changes if has_unknown(change.after))
        return Decision(Kind.UNDECIDED, f"{names} is known only when it comes to it", tuple(changes))
    return _by_changes(present, wanted, changes)


def _by_changes(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    declared = wanted.found.properties if wanted.found is not None else {}
    fixed = [change.name for change in changes if change.name in declared and declared[change.name].immutable]
    if fixed:
        return Decision(Kind.FORBIDDEN, f"{', '.join(fixed)} cannot be changed", tuple(changes))
    replacing = [
        change.name
        for change in changes
        if change.name in declared and not declared[change.name].update_allowed
    ]
    if replacing:
        return Decision(Kind.REPLACE, f"{', '.join(replacing)} cannot be changed in place", tuple(changes))
    if changes:
        return Decision(Kind.UPDATE, f"{', '.join(c.name for c in changes)} changes in place", tuple(changes))
    if present.metadata != wanted.metadata:
        return Decision(Kind.UPDATE, "its metadata changes")
    if present.status in ("FAILED", "IN_PROGRESS"):
        # What was interrupted is done again.
        return Decision(Kind.UPDATE, f"it is in state {present.action}_{present.status}")
    return Decision(Kind.KEEP, "nothing changes")


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """The properties that differ, in the order of the schema; what is gone counts as changed."""
    names = [*after, *(name for name in before if name not in after)]
    return [
        Change(name, before.get(name), after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]


def _same_type(type_name: str, wanted: Wanted) -> bool:
    if type_name == wanted.type_name:
        return True
    support = wanted.found.support if wanted.found is not None else None
    return support is not None and support.substitute == type_name


def _mends_itself(wanted: Wanted) -> bool:
    """Whether a failed resource is mended by an update: a stack below decides for its own resources."""
    found = wanted.found
    return isinstance(found, TemplateType) or (found is not None and found.nested_stack)
