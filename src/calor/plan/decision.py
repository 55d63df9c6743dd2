"""Decides what happens to a resource, for plans and for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from calor.language.values import Secret, bare, has_unknown, revealed
from calor.lifecycle import Action, Status
from calor.plan.kinds import Change, Decision, Kind
from calor.plan.states import Present, Wanted
from calor.plan.type_facts import has_nested_stack, implementation_of, may_outlive_failure
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping


class _NotKnownYet(Exception):
    """A value was read that is not known yet."""


class _KnownValues(Mapping[str, Any]):
    """Properties that raise _NotKnownYet when an unknown one is read."""

    def __init__(self, values: JsonMapping) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        if has_unknown(value):
            raise _NotKnownYet(name)
        return bare(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


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


def _if_healthy(decision: Decision, present: Present) -> Decision:
    if not decision.may_be(Kind.UPDATE):
        return decision
    reason = f"it is in state {present.state}; it is kept if its object is healthy"
    possible = frozenset({Kind.UPDATE, Kind.REPLACE}) | decision.possible
    return replace(decision, kind=Kind.RECOVER, reason=reason, possible=possible, shown_as=Kind.UNDECIDED)


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
            replaces = demands(present.properties, _KnownValues(wanted.properties), frozenset(each))
        except _NotKnownYet:
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
            return bool(demands(present.properties, _KnownValues(wanted.properties), frozenset({name})))
        except _NotKnownYet:
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


def _same_type(present: Present, wanted: Wanted) -> bool:
    if present.implementation == implementation_of(wanted.resource_type, wanted.type_name):
        return True
    return present.substitute is not None and present.substitute == wanted.type_name
