"""Decides what happens to one resource. Preview and engine ask the same function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import Any

from calor.language.library import Found, TemplateType
from calor.language.values import Secret, bare, has_unknown, revealed, surely_differs


class Kind(Enum):
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    KEEP = "keep"
    FORBIDDEN = "forbidden"
    """The work fails here."""
    UNDECIDED = "undecided"
    """Shows only when it comes to it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A property before and after; both may be secrets, and what comes after may not be known yet."""

    name: str
    before: Any
    after: Any

    @property
    def known(self) -> bool:
        return not has_unknown(self.after)

    @property
    def certain(self) -> bool:
        """Whether it is a change for sure, also where it is not known what comes after."""
        return self.known or surely_differs(revealed(self.before), self.after)


@dataclass(frozen=True, slots=True)
class Decision:
    kind: Kind
    reason: str
    changes: tuple[Change, ...] = ()
    possible: frozenset[Kind] = frozenset()
    """What an undecided one may become."""
    forbids: Kind | None = None
    """What is not allowed, if it is forbidden."""
    error: str = "NotSupported"
    """The class of error with which a forbidden one fails."""
    refused: tuple[str, ...] = ()
    """The properties whose change is never made, whatever else is so."""

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(change.name for change in self.changes)

    def may_be(self, *kinds: Kind) -> bool:
        """Whether it is one of these, or may become one."""
        return any(kind is self.kind or kind in self.possible for kind in kinds)


@dataclass(frozen=True, slots=True)
class Present:
    """A resource as it is."""

    type_name: str
    action: str
    status: str
    properties: Mapping[str, Any]
    metadata: Mapping[str, Any]
    update_policy: Mapping[str, Any]
    implementation: str
    """What stands behind the type's name, as `implementation_of` tells."""
    substitute: str | None = None
    """The type that its type declares to be its successor."""
    external_id: str | None = None
    """Empty for one that was to be external, and could not be found."""
    reason: str = ""
    """Why it is in that state."""
    masked: Mapping[str, Any] = field(default_factory=dict)
    """The properties that are secret, or hold secrets, as they are shown."""
    renewed: bool = False
    """Whether it was made in the action under way, which an engine that died had begun."""
    unhealthy: bool = False
    """Whether somebody has said that it is not well: then not even a stack below is mended."""


Peers = Callable[[Any], Mapping[str, Any] | None]
"""The properties of the resource that a reference means, None where these are not known."""


def nobody(reference: Any) -> Mapping[str, Any] | None:
    return None


class NotKnownYet(Exception):
    """A value was asked for that exists only later."""


class KnownValues(Mapping[str, Any]):
    """Properties for whom all values matter that he reads, and no others."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        if has_unknown(value):
            raise NotKnownYet(name)
        return bare(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A resource as it shall be."""

    type_name: str
    found: Found | None
    properties: Mapping[str, Any]
    metadata: Any
    update_policy: Any
    external_id: Any = None
    restricted: Sequence[str] = ()
    """The actions that the environment forbids: `update`, `replace`."""
    peers: Peers = nobody
    """The resources of the same stack, as far as it is known what they will be like."""

    @property
    def keeps_stack(self) -> bool:
        """Whether the resource is a stack of its own."""
        return self.external_id is None and has_stack_below(self.found)


def decide(present: Present | None, wanted: Wanted) -> Decision:
    """What has to happen to make the present resource the wanted one."""
    return _permitted(_decide(present, wanted), wanted.restricted)


def decide_with_stack_below(decision: Decision, wanted: Wanted, below_differs: bool | None) -> Decision:
    """The decision when the stack below the resource is known: it may change although the resource does not. None
    stands for one of which that cannot be told yet."""
    if below_differs is False or not decision.may_be(Kind.KEEP):
        return decision
    if below_differs is None:
        return _permitted(replace(decision, possible=decision.possible | {Kind.UPDATE}), wanted.restricted)
    others = decision.possible - {Kind.KEEP}
    if decision.kind is Kind.UNDECIDED and others - {Kind.UPDATE}:
        changed = replace(decision, possible=others | {Kind.UPDATE})
    elif decision.kind is Kind.UNDECIDED:
        changed = replace(decision, kind=Kind.UPDATE, possible=frozenset())
    else:
        changed = Decision(Kind.UPDATE, "the stack below it decides for itself")
    return _permitted(changed, wanted.restricted)


def _decide(present: Present | None, wanted: Wanted) -> Decision:
    if present is None or present.action == "INIT":
        return Decision(Kind.CREATE, "it does not exist yet")
    if present.action == "DELETE":
        if present.status == "COMPLETE":
            return Decision(Kind.CREATE, "it was deleted")
        return Decision(Kind.REPLACE, f"it is in state {present.action}_{present.status}")
    if not _same_type(present, wanted):
        return Decision(Kind.REPLACE, f"its type changes from {present.type_name} to {wanted.type_name}")
    if present.external_id == "" or (present.status == "FAILED" and present.external_id is not None):
        return Decision(Kind.REPLACE, "it could not be found")
    if present.external_id != wanted.external_id:
        message = "Update to property external_id of a resource is not supported"
        return Decision(Kind.FORBIDDEN, message, forbids=Kind.UPDATE)
    if wanted.external_id is not None:
        return Decision(Kind.KEEP, "it belongs to somebody else")
    if present.action == "CREATE" and present.status == "IN_PROGRESS":
        return Decision(Kind.CREATE, "its creation was interrupted")
    failed = present.status == "FAILED" and (present.unhealthy or not _mends_itself(wanted))
    if failed and (present.unhealthy or not may_outlive_failure(present.action, wanted.found)):
        why = f": {present.reason}" if present.action == "CHECK" and present.reason else ""
        return Decision(Kind.REPLACE, f"it is in state {present.action}_{present.status}{why}")
    if not present.renewed and _renews(wanted):
        return Decision(Kind.REPLACE, "it is replaced by every update")
    decision = _by_changes(
        present, wanted, differences(present.properties, wanted.properties, present.masked)
    )
    return _if_well(decision, present) if failed else decision


def may_outlive_failure(action: str, found: Found | None) -> bool:
    """Whether a resource may be kept on which an action failed: what it stands for may be well. A check says by
    failing that it is not."""
    return action != "CHECK" and hasattr(found, "is_well")


def _if_well(decision: Decision, present: Present) -> Decision:
    if not decision.may_be(Kind.UPDATE):
        return decision
    reason = f"it is in state {present.action}_{present.status}; whether it is well shows when it comes to it"
    possible = frozenset({Kind.UPDATE, Kind.REPLACE}) | decision.possible
    return replace(decision, kind=Kind.UNDECIDED, reason=reason, possible=possible)


def may_renew(found: Found | None) -> bool:
    return getattr(found, "replaced_by_every_update", False) or hasattr(found, "renews")


def _renews(wanted: Wanted) -> bool:
    """Whether it is replaced by every update, by its type or by its properties."""
    if getattr(wanted.found, "replaced_by_every_update", False):
        return True
    renews = getattr(wanted.found, "renews", None)
    return renews is not None and bool(renews(bare(wanted.properties)))


def _by_changes(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    """Each value that is not known yet may turn out to be a change or none, unless it is a new one for sure."""
    sure = [change for change in changes if change.certain]
    certain = _certain(present, wanted, sure)
    unknown = [change for change in changes if not change.certain]
    outcomes = {certain.kind, *certain.possible} - {Kind.UNDECIDED}
    for change in unknown:
        outcome = _certain(present, wanted, [*sure, change])
        outcomes |= {outcome.kind, *outcome.possible} - {Kind.UNDECIDED}
    names = [change.name for change in unknown]
    for name, value in (("metadata", wanted.metadata), ("update_policy", wanted.update_policy)):
        if has_unknown(value):
            names.append(name)
            outcomes.add(Kind.UPDATE)
    if certain.kind is not Kind.KEEP:
        outcomes.discard(Kind.KEEP)
    worst = _worst(outcomes)
    if len(outcomes) > 1 and worst is not certain.kind:
        verb = "is" if len(names) == 1 else "are"
        reason = f"{', '.join(names)} {verb} known only when it comes to it" if names else certain.reason
        return Decision(Kind.UNDECIDED, reason, tuple(changes), frozenset(outcomes))
    return replace(certain, changes=tuple(changes))


_SEVERITY = (Kind.KEEP, Kind.UPDATE, Kind.REPLACE, Kind.FORBIDDEN)


def _worst(kinds: set[Kind]) -> Kind:
    return max(kinds, key=_SEVERITY.index)


def _certain(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    """The decision if exactly these properties change."""
    declared = wanted.found.properties if wanted.found is not None else {}
    names = [change.name for change in changes]
    fixed = [name for name in names if name in declared and declared[name].immutable]
    if fixed:
        reason = f"{', '.join(fixed)} cannot be changed"
        return Decision(Kind.FORBIDDEN, reason, forbids=Kind.UPDATE, refused=tuple(fixed))
    replacing = [name for name in names if name in declared and not declared[name].update_allowed]
    if replacing:
        return Decision(Kind.REPLACE, f"{', '.join(replacing)} cannot be changed in place")
    if changes:
        return _in_place(present, wanted, changes)
    if not has_unknown(wanted.metadata) and present.metadata != revealed(wanted.metadata):
        return Decision(Kind.UPDATE, "its metadata changes")
    if not has_unknown(wanted.update_policy) and present.update_policy != revealed(wanted.update_policy):
        return Decision(Kind.UPDATE, "its update policy changes")
    if present.status in ("FAILED", "IN_PROGRESS"):
        # What was interrupted is done again.
        return Decision(Kind.UPDATE, f"it is in state {present.action}_{present.status}")
    if getattr(wanted.found, "looks_for_itself", False):
        return Decision(Kind.UPDATE, "it is compared with what the other region has, whatever changes")
    return Decision(Kind.KEEP, "nothing changes")


def _in_place(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    """All properties could be changed in place; the type may see it otherwise."""
    names = ", ".join(change.name for change in changes)
    found = wanted.found
    if not has_stack_below(found) and not hasattr(found, "update"):
        return Decision(Kind.REPLACE, f"{names} changes, and its type is never changed in place")
    refusal = getattr(found, "refusal", None)
    after = revealed(dict(wanted.properties))
    if refusal and (refused := refusal(present.properties, after, frozenset(one.name for one in changes))):
        names_of = tuple(one.name for one in changes)
        return Decision(Kind.FORBIDDEN, refused, forbids=Kind.UPDATE, refused=names_of)
    both = frozenset({Kind.UPDATE, Kind.REPLACE})
    demands = getattr(found, "demands_replacement", None)
    if demands is not None:
        changed = frozenset(change.name for change in changes)
        try:
            replaces = demands(present.properties, KnownValues(wanted.properties), changed)
        except NotKnownYet:
            return Decision(Kind.UNDECIDED, f"{names} changes, perhaps in place", possible=both)
        if replaces:
            return Decision(Kind.REPLACE, f"its type does not change {names} in place")
    # Whether an update may be begun at all is asked before the type is.
    if _may_demand_replacement(wanted) and Kind.UPDATE.value not in wanted.restricted:
        return Decision(
            Kind.UNDECIDED, f"{names} changes; whether in place shows when it is done", possible=both
        )
    return Decision(Kind.UPDATE, f"{names} changes in place")


def _may_demand_replacement(wanted: Wanted) -> bool:
    """Whether only the work itself shows that a change needs a new resource."""
    found: Any = wanted.found
    if not getattr(found, "may_demand_replacement", False):
        return False
    never_replaced = getattr(found, "never_replaced", None)
    return never_replaced is None or not never_replaced(wanted.properties, wanted.peers)


RESTRICTED = "ResourceActionRestricted"


def restriction(*actions: str) -> str:
    """What is said where the environment forbids an action; clients know the shape of the message."""
    return f"{' or '.join(actions)} is restricted for resource."


def _permitted(decision: Decision, restricted: Sequence[str]) -> Decision:
    """The decision under the restrictions of the environment."""
    if decision.kind.value in restricted:
        return _restricted(decision, decision.kind)
    forbidden = sorted((kind for kind in decision.possible if kind.value in restricted), key=_SEVERITY.index)
    if not forbidden:
        return decision
    if decision.possible == set(forbidden):
        return _restricted(decision, *forbidden)
    return replace(decision, possible=(decision.possible - set(forbidden)) | {Kind.FORBIDDEN})


def _restricted(decision: Decision, *kinds: Kind) -> Decision:
    return replace(
        decision,
        kind=Kind.FORBIDDEN,
        reason=restriction(*(kind.value for kind in kinds)),
        possible=frozenset(),
        forbids=kinds[-1],
        error=RESTRICTED,
    )


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], masked: Mapping[str, Any]
) -> list[Change]:
    """The properties that differ, in the order of the schema; what is gone counts as changed. `masked` are those
    before that are secret, as they are shown."""
    names = [*after, *(name for name in before if name not in after)]
    return [
        Change(
            name,
            Secret(before[name], masked[name]) if name in masked and name in before else before.get(name),
            after.get(name),
        )
        for name in names
        if before.get(name) != revealed(after.get(name))
    ]


@cache
def may_refuse(found: Any) -> bool:
    """Whether a type knows changes that are never made."""
    return hasattr(found, "refusal") or any(one.immutable for one in found.properties.values())


def has_stack_below(found: Any) -> bool:
    """Whether resources of a type are stacks of their own."""
    return isinstance(found, TemplateType) or (found is not None and found.nested_stack)


TEMPLATE = "template"


def implementation_of(found: Found | None, type_name: str) -> str:
    """What stands behind the name of a type. All templates count as one: a stack can become any other."""
    if found is None:
        return type_name
    return TEMPLATE if isinstance(found, TemplateType) else found.type_name


def _same_type(present: Present, wanted: Wanted) -> bool:
    if present.implementation == implementation_of(wanted.found, wanted.type_name):
        return True
    return present.substitute is not None and present.substitute == wanted.type_name


def _mends_itself(wanted: Wanted) -> bool:
    """Whether a failed resource is mended by an update: a stack below decides for its own resources."""
    return has_stack_below(wanted.found)
