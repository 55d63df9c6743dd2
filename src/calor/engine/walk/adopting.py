"""Resources whose objects exist already: adopted ones, and those with an `external_id`."""

from __future__ import annotations

from calor.engine.view.refreshing import refresh_attributes
from calor.engine.walk.creating import announce_replacement, new_row
from calor.engine.walk.handlers import finish
from calor.engine.walk.nested import NestedStackActions
from calor.engine.walk.recorder import is_nested
from calor.engine.walk.stack_walk import StackWalk, StepResult
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import resolve
from calor.language.values import bare
from calor.lifecycle import Action, Status
from calor.plan.kinds import Decision
from calor.plan.present import DELETION_POLICY, EXTERNAL
from calor.resources.contract import contract_of
from calor.stacks.external import Check, adoptable_data, exists, is_adoptable
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState, StepFailed


def refer(
    walk: StackWalk,
    resource: ResourceDefinition,
    present: ResourceState | None,
    evaluated: Evaluated,
    decision: Decision,
) -> StepResult:
    """Refers to an external object, which is never changed."""
    state = _row(walk, resource, present, evaluated, decision)
    scope = walk.view.defined.scope.with_states(walk.view.states)
    state.physical_id = str(bare(resolve(resource.external_expression, scope)))
    state.set_properties(evaluated.values)
    state.data = {**state.data, DELETION_POLICY: "Retain", EXTERNAL: True}
    walk.record.enter(state, Action.CHECK, evaluated.values)
    checking = _verify(walk, state, resource, exists)
    return finish(walk, checking, state, Action.CHECK, lambda: walk.record.complete(state, Action.CHECK))


def adopt(
    walk: StackWalk,
    resource: ResourceDefinition,
    present: ResourceState | None,
    evaluated: Evaluated,
    decision: Decision,
) -> StepResult:
    """Adopts an object as it is."""
    state = _row(walk, resource, present, evaluated, decision)
    walk.record.enter(state, Action.ADOPT, evaluated.values)
    left = RunNotes.of(walk.stack).adopted(state.name)
    state.set_properties(evaluated.values)
    state.data.update(adoptable_data(resource.resource_type, left.get("resource_data") or {}))
    state.metadata = left.get("metadata") or state.metadata

    def adopted() -> None:
        walk.view.read_attributes(state, resource)
        walk.record.complete(state, Action.ADOPT)

    if is_nested(resource):
        outcome = NestedStackActions.of(walk, resource, state).adopt(evaluated, left)
        return finish(walk, outcome, state, Action.ADOPT, adopted)
    if not left.get("resource_id"):
        error = StepFailed("Exception", "Resource ID was not provided.")
        raise walk.record.fail(state, Action.ADOPT, error)
    state.physical_id = left["resource_id"]
    checking = _verify(walk, state, resource, is_adoptable)
    return finish(walk, checking, state, Action.ADOPT, adopted)


def _row(
    walk: StackWalk,
    resource: ResourceDefinition,
    present: ResourceState | None,
    evaluated: Evaluated,
    decision: Decision,
) -> ResourceState:
    """The row of an interrupted step, or a new one."""
    if present is not None and present.status == Status.IN_PROGRESS and not decision.replaces:
        return present
    if present is not None and decision.replaces:
        announce_replacement(walk, present)
        return new_row(walk, resource, evaluated, present)
    return new_row(walk, resource, evaluated, None)


async def _verify(walk: StackWalk, state: ResourceState, resource: ResourceDefinition, check: Check) -> None:
    """Checks and reads an object that was created elsewhere. Raises StepFailed if the owner may not use it."""
    named, known = state.physical_id, False
    try:
        known = await check(resource.resource_type, walk.view.context(state))
    finally:
        if not known:
            # An unverified id must not be used for anything.
            state.physical_id = None
    if not known:
        raise StepFailed("NotFound", f"{resource.type_name} {named} could not be found in the project")
    if contract_of(resource.resource_type).refresh is not None:
        await refresh_attributes(walk.view, state, resource)
