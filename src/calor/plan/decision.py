"""Decides what happens to a resource, for plans and for the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import Any, assert_never

from calor.language.library import ResolvedType, TemplateType
from calor.language.values import Secret, bare, definitely_differs, has_unknown, revealed
from calor.lifecycle import Action, Status
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping


class Kind(Enum):
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    KEEP = "keep"
    FORBIDDEN = "forbidden"
    """The action fails here."""
    UNDECIDED = "undecided"
    """Depends on values that are not known yet, or on what the type finds during the update."""

    # How the engine does it. Plans show these as one of the above, see `Decision.foreseen`.
    RESUME = "resume"
    """Continues a creation that was interrupted."""
    ADOPT = "adopt"
    """Takes over an object of an abandoned stack."""
    REFER = "refer"
    """Refers to an object that the stack does not manage (`external_id`)."""
    RECOVER = "recover"
    """Keeps a failed resource if its object is healthy, and replaces it otherwise."""
    RECLAIM = "reclaim"
    """Rolls back an unfinished replacement (`revert_replace`), as the resource is wanted again."""


@dataclass(frozen=True, slots=True)
class Change:
    """A property's values before and after; both may be secrets, and the new one may not be known yet."""

    name: str
    before: object
    after: object

    @property
    def known(self) -> bool:
        return not has_unknown(self.after)

    @property
    def certain(self) -> bool:
        """Whether the value certainly changes, even if the new one is not known."""
        return self.known or definitely_differs(revealed(self.before), self.after)


@dataclass(frozen=True, slots=True)
class Decision:
    kind: Kind
    reason: str
    changes: tuple[Change, ...] = ()
    possible: frozenset[Kind] = frozenset()
    """What an undecided decision or a recovery may become."""
    shown_as: Kind | None = None
    """The kind that plans show, if that differs."""
    then: Decision | None = None
    """The decision to carry out after a reclaim."""
    forbids: Kind | None = None
    """The forbidden kind of change."""
    error: str = "NotSupported"
    """The error class of a forbidden change."""
    refused: tuple[str, ...] = ()
    """The properties that can never be changed."""
    untouched: bool = False
    """Whether a forbidden change does not make the resource fail, which would replace it later."""

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(change.name for change in self.changes)

    @property
    def replaces(self) -> bool:
        """Whether a new row replaces the present one."""
        return Kind.REPLACE in (self.kind, self.shown_as)

    @property
    def foreseen(self) -> Decision:
        """The decision as plans show it."""
        match self.kind:
            case Kind.RECLAIM:
                assert self.then is not None
                return self.then.foreseen
            case Kind.RESUME | Kind.ADOPT | Kind.REFER | Kind.RECOVER:
                assert self.shown_as is not None
                return replace(self, kind=self.shown_as, shown_as=None)
            case (
                Kind.CREATE
                | Kind.UPDATE
                | Kind.REPLACE
                | Kind.DELETE
                | Kind.KEEP
                | Kind.FORBIDDEN
                | Kind.UNDECIDED
            ):
                return self
            case _:
                assert_never(self.kind)

    def may_be(self, *kinds: Kind) -> bool:
        """Whether it is or may become one of these kinds."""
        return any(kind is self.kind or kind in self.possible for kind in kinds)


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


PeerProperties = Callable[[object], JsonMapping | None]
"""Returns the properties of the resource with a reference; None if they are not known."""


def no_peers(reference: object) -> JsonMapping | None:
    return None


class NotKnownYet(Exception):
    """A value was read that is not known yet."""


class KnownValues(Mapping[str, Any]):
    """Properties that raise NotKnownYet when an unknown one is read."""

    def __init__(self, values: JsonMapping) -> None:
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


def decide(present: Present | None, wanted: Wanted) -> Decision:
    """How to change a resource from its present to its wanted state."""
    decision = _with_origin(_apply_restrictions(_decide(present, wanted), wanted.restricted), wanted)
    was_replaced = (
        present is not None
        and present.replaced
        and contract_of(wanted.resource_type).revert_replace is not None
    )
    if was_replaced and decision.may_be(Kind.KEEP, Kind.UPDATE):
        return Decision(Kind.RECLAIM, "it is wanted again", then=decision)
    return decision


def _with_origin(decision: Decision, wanted: Wanted) -> Decision:
    """Turns a creation into an adoption or an external reference if the object exists."""
    if decision.kind not in (Kind.CREATE, Kind.REPLACE):
        return decision
    if wanted.external_id is not None:
        return replace(decision, kind=Kind.REFER, shown_as=decision.kind)
    if wanted.adopting and not contract_of(wanted.resource_type).create_on_adopt:
        return replace(decision, kind=Kind.ADOPT, shown_as=decision.kind)
    return decision


def decide_with_nested_stack(decision: Decision, wanted: Wanted, below_differs: bool | None) -> Decision:
    """The decision given whether the nested stack changes, which it may do although the resource does not; None if that
    is not known yet."""
    if below_differs is False or not decision.may_be(Kind.KEEP):
        return decision
    if below_differs is None:
        return _apply_restrictions(
            replace(decision, possible=decision.possible | {Kind.UPDATE}), wanted.restricted
        )
    others = decision.possible - {Kind.KEEP}
    if decision.kind is Kind.UNDECIDED and others - {Kind.UPDATE}:
        changed = replace(decision, possible=others | {Kind.UPDATE})
    elif decision.kind is Kind.UNDECIDED:
        changed = replace(decision, kind=Kind.UPDATE, possible=frozenset())
    else:
        changed = Decision(Kind.UPDATE, "its nested stack changes")
    return _apply_restrictions(changed, wanted.restricted)


def _decide(present: Present | None, wanted: Wanted) -> Decision:
    if present is None or present.action == Action.INIT:
        return Decision(Kind.CREATE, "it does not exist yet")
    if present.state == "ADOPT_IN_PROGRESS":
        return Decision(Kind.ADOPT, "its adoption was interrupted", shown_as=Kind.UPDATE)
    if present.state == "CHECK_IN_PROGRESS" and present.external_id is not None:
        return Decision(Kind.REFER, "its check was interrupted", shown_as=Kind.KEEP)
    if present.action == Action.DELETE:
        if present.status == Status.COMPLETE:
            return Decision(Kind.CREATE, "it was deleted")
        return Decision(Kind.REPLACE, f"it is in state {present.state}")
    if not _same_type(present, wanted):
        return Decision(Kind.REPLACE, f"its type changes from {present.type_name} to {wanted.type_name}")
    if present.external_id == "" or (present.external_id is not None and present.state == "CHECK_FAILED"):
        return Decision(Kind.REPLACE, "it could not be found")
    if present.external_id != wanted.external_id:
        message = "Update to property external_id of a resource is not supported"
        return Decision(Kind.FORBIDDEN, message, forbids=Kind.UPDATE, untouched=True)
    if wanted.external_id is not None and present.status == Status.FAILED:
        return Decision(Kind.REPLACE, f"it is in state {present.state}")
    if wanted.external_id is not None:
        return Decision(Kind.KEEP, "the stack does not manage it")
    if present.state == "CREATE_IN_PROGRESS":
        return Decision(Kind.RESUME, "its creation was interrupted", shown_as=Kind.CREATE)
    # A nested stack decides for each of its resources, and so recovers by an update.
    failed = present.status == Status.FAILED and (
        present.unhealthy or not has_nested_stack(wanted.resource_type)
    )
    if failed and (present.unhealthy or not may_outlive_failure(present.action, wanted.resource_type)):
        why = f": {present.reason}" if present.action == Action.CHECK and present.reason else ""
        return Decision(Kind.REPLACE, f"it is in state {present.state}{why}")
    if not present.created_in_action and _is_always_replaced(wanted):
        return Decision(Kind.REPLACE, "it is replaced by every update")
    decision = _by_changes(
        present, wanted, differences(present.properties, wanted.properties, present.masked)
    )
    return _if_healthy(decision, present) if failed else decision


def may_outlive_failure(action: str, resource_type: ResolvedType | None) -> bool:
    """Whether a resource may be kept after a failed action because its object may be healthy. After a failed check it
    is not."""
    return action != Action.CHECK and contract_of(resource_type).is_healthy is not None


def _if_healthy(decision: Decision, present: Present) -> Decision:
    if not decision.may_be(Kind.UPDATE):
        return decision
    reason = f"it is in state {present.state}; it is kept if its object is healthy"
    possible = frozenset({Kind.UPDATE, Kind.REPLACE}) | decision.possible
    return replace(decision, kind=Kind.RECOVER, reason=reason, possible=possible, shown_as=Kind.UNDECIDED)


def always_replaced_type(resource_type: ResolvedType | None) -> bool:
    contract = contract_of(resource_type)
    return contract.always_replaced or contract.is_always_replaced is not None


def _is_always_replaced(wanted: Wanted) -> bool:
    """Whether every update replaces it, because of its type or its properties."""
    contract = contract_of(wanted.resource_type)
    if contract.always_replaced:
        return True
    return contract.is_always_replaced is not None and contract.is_always_replaced(bare(wanted.properties))


def _by_changes(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    """Considers that each value that is not known yet may turn out to be a change or not."""
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
        reason = f"{', '.join(names)} {verb} not known yet" if names else certain.reason
        return Decision(Kind.UNDECIDED, reason, tuple(changes), frozenset(outcomes))
    return replace(certain, changes=tuple(changes))


_SEVERITY = (Kind.KEEP, Kind.UPDATE, Kind.REPLACE, Kind.FORBIDDEN)


def _worst(kinds: set[Kind]) -> Kind:
    return max(kinds, key=_SEVERITY.index)


def _certain(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    """The decision if exactly these properties change."""
    declared = wanted.resource_type.properties if wanted.resource_type is not None else {}
    names = [change.name for change in changes]
    fixed = [name for name in names if name in declared and declared[name].immutable]
    if fixed:
        reason = f"{', '.join(fixed)} cannot be changed"
        return Decision(Kind.FORBIDDEN, reason, forbids=Kind.UPDATE, refused=tuple(fixed))
    replacing = [name for name in names if name in declared and not declared[name].update_allowed]
    if replacing:
        others = [name for name in names if name not in replacing]
        demanded = _demanding_properties(present, wanted, others)
        why = f"{', '.join([*replacing, *demanded])} cannot be changed in place"
        return Decision(Kind.REPLACE, why + _also_changing(name for name in others if name not in demanded))
    if changes:
        return _in_place(present, wanted, changes)
    if not has_unknown(wanted.metadata) and present.metadata != revealed(wanted.metadata):
        return Decision(Kind.UPDATE, "its metadata changes")
    if not has_unknown(wanted.update_policy) and present.update_policy != revealed(wanted.update_policy):
        return Decision(Kind.UPDATE, "its update policy changes")
    if present.status in (Status.FAILED, Status.IN_PROGRESS):
        # An interrupted update is repeated.
        return Decision(Kind.UPDATE, f"it is in state {present.state}")
    if contract_of(wanted.resource_type).update_when_unchanged:
        return Decision(Kind.UPDATE, "every update compares it with the remote stack")
    return Decision(Kind.KEEP, "nothing changes")


def _in_place(present: Present, wanted: Wanted, changes: list[Change]) -> Decision:
    """The decision if the schema allows all changes in place; the type may still need a replacement."""
    each = [change.name for change in changes]
    what = f"{', '.join(each)} {'changes' if len(each) == 1 else 'change'}"
    contract = contract_of(wanted.resource_type)
    if not has_nested_stack(wanted.resource_type) and contract.update is None:
        return Decision(Kind.REPLACE, f"{what}, and its type cannot be changed in place")
    refusal = contract.refusal
    after = revealed(dict(wanted.properties))
    if refusal and (refused := refusal(present.properties, after, frozenset(each))):
        return Decision(Kind.FORBIDDEN, refused, forbids=Kind.UPDATE, refused=tuple(each))
    both = frozenset({Kind.UPDATE, Kind.REPLACE})
    demands = contract.needs_replacement
    if demands is not None:
        try:
            replaces = demands(present.properties, KnownValues(wanted.properties), frozenset(each))
        except NotKnownYet:
            return Decision(Kind.UNDECIDED, f"{what}, perhaps in place", possible=both)
        if replaces:
            demanded = _demanding_properties(present, wanted, each) or each
            why = f"its type does not change {', '.join(demanded)} in place"
            return Decision(Kind.REPLACE, why + _also_changing(name for name in each if name not in demanded))
    # A restricted update never reaches the type.
    if _may_demand_replacement(wanted) and Kind.UPDATE.value not in wanted.restricted:
        return Decision(
            Kind.UNDECIDED, f"{what}; its type decides during the update whether in place", possible=both
        )
    return Decision(Kind.UPDATE, f"{what} in place")


def _demanding_properties(present: Present, wanted: Wanted, names: Sequence[str]) -> list[str]:
    """The properties whose change alone makes the type need a replacement."""
    demands = contract_of(wanted.resource_type).needs_replacement
    if demands is None:
        return []

    def alone(name: str) -> bool:
        try:
            return bool(demands(present.properties, KnownValues(wanted.properties), frozenset({name})))
        except NotKnownYet:
            return False

    return [name for name in names if alone(name)]


def _also_changing(names: Iterable[str]) -> str:
    """A note on properties that change, too, but do not cause the replacement."""
    listed = ", ".join(names)
    return f"; {listed} could be" if listed else ""


def _may_demand_replacement(wanted: Wanted) -> bool:
    """Whether only the update itself shows that it needs a replacement."""
    contract = contract_of(wanted.resource_type)
    if not contract.may_need_replacement:
        return False
    never_replaced = contract.never_replaced
    return never_replaced is None or not never_replaced(wanted.properties, wanted.peers)


RESTRICTED = "ResourceActionRestricted"


def restriction(*actions: str) -> str:
    """The message for restricted actions, in Heat's words."""
    return f"{' or '.join(actions)} is restricted for resource."


def _apply_restrictions(decision: Decision, restricted: Sequence[str]) -> Decision:
    """The decision with the environment's restrictions."""
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
        untouched=True,
    )


def differences(before: JsonMapping, after: JsonMapping, masked: JsonMapping) -> list[Change]:
    """The properties that differ, removed ones included, in the order of the schema. `masked` are the masked values of
    present secrets."""
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
def may_refuse(resource_type: ResolvedType) -> bool:
    """Whether a type may reject changes for good."""
    return contract_of(resource_type).refusal is not None or any(
        one.immutable for one in resource_type.properties.values()
    )


def has_nested_stack(resource_type: ResolvedType | None) -> bool:
    """Whether resources of a type have nested stacks."""
    return isinstance(resource_type, TemplateType) or (
        resource_type is not None and resource_type.nested_stack
    )


TEMPLATE = "template"


def implementation_of(resource_type: ResolvedType | None, type_name: str) -> str:
    """The type behind an alias. All templates count as the same, as a stack can be updated to any template."""
    if resource_type is None:
        return type_name
    return TEMPLATE if isinstance(resource_type, TemplateType) else resource_type.type_name


def _same_type(present: Present, wanted: Wanted) -> bool:
    if present.implementation == implementation_of(wanted.resource_type, wanted.type_name):
        return True
    return present.substitute is not None and present.substitute == wanted.type_name
