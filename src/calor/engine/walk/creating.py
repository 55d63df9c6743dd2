"""Creates resources, and resumes interrupted creations."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import Any

from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.handlers import call, call_when_stored, finish
from calor.engine.walk.nested import NestedStackActions
from calor.engine.walk.recorder import is_nested
from calor.engine.walk.retrying import create_with_retries
from calor.engine.walk.stack_walk import StackWalk, StepResult
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.library import ResolvedType
from calor.lifecycle import Action, Status
from calor.plan.present import declared_type
from calor.resources.contract import contract_of
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState


def can_be_found(found: ResolvedType | None) -> bool:
    """Whether the type can find the object of an interrupted creation."""
    return contract_of(found).find is not None


def cannot_have_object(state: ResourceState, found: ResolvedType | None) -> bool:
    """Whether a row certainly has no object: it failed before its properties were evaluated, so that no request was
    sent."""
    return state.physical_id is None and not state.properties and bool(contract_of(found).properties)


def new_row(
    walk: StackWalk,
    resource: ResourceDefinition,
    evaluated: Evaluated,
    replaces: ResourceState | None,
) -> ResourceState:
    """A new row, which replaces another one if that is given."""
    state = walk.record.new(resource)
    if replaces is not None:
        state.replaces = replaces.id
        replaces.replaced_by = state.id
        walk.journal.resource(replaces)
    walk.record.describe(state, resource, evaluated)
    return state


def create(
    walk: StackWalk, resource: ResourceDefinition, evaluated: Evaluated, replaces: ResourceState | None = None
) -> StepResult:
    state = new_row(walk, resource, evaluated, replaces)
    if walk.stack.action == Action.ADOPT:
        adopted = RunNotes.of(walk.stack).adopted(state.name)
        state.metadata = adopted.get("metadata") or state.metadata
    state.set_properties(evaluated.values)
    walk.record.enter(state, Action.CREATE, evaluated.values)
    return _create_in_place_of(walk, replaces, resource, state, evaluated)


def replace(
    walk: StackWalk, resource: ResourceDefinition, present: ResourceState, evaluated: Evaluated
) -> StepResult:
    announce_replacement(walk, present)
    return create(walk, resource, evaluated, present)


def announce_replacement(walk: StackWalk, present: ResourceState) -> None:
    """Records the replacement with the events that Heat shows."""
    untouched = present.status != Status.FAILED and present.state != "CREATE_IN_PROGRESS"
    if untouched and present.action != Action.DELETE:
        walk.record.announce(present, Action.UPDATE, Status.IN_PROGRESS, "state changed")
        reason = f"The Resource {present.name} requires replacement."
        walk.record.announce(present, Action.UPDATE, Status.COMPLETE, reason)


def resume(
    walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
) -> StepResult:
    """Continues an interrupted creation."""
    if is_nested(resource) or not can_be_found(resource.resource_type):
        return _begin_again(walk, resource, state, evaluated)
    return _find_or_create(walk, resource, state, evaluated)


def created(walk: StackWalk, state: ResourceState, resource: ResourceDefinition) -> None:
    walk.view.read_attributes(state, resource)
    walk.record.complete(state, Action.CREATE)


def _begin_again(
    walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
) -> StepResult:
    walk.record.describe(state, resource, evaluated)
    state.set_properties(evaluated.values)
    replaced = walk.view.rows.get(state.replaces or "")
    return _create_in_place_of(walk, replaced, resource, state, evaluated)


def _create_in_place_of(
    walk: StackWalk,
    replaced: ResourceState | None,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
) -> StepResult:
    declared = declared_type(replaced, walk.run.world.declaration) if replaced is not None else None
    before_replace = contract_of(declared).before_replace
    if replaced is None or before_replace is None or cannot_have_object(replaced, declared):
        return _create_object(walk, resource, state, evaluated)
    return _create_when_free(walk, before_replace(walk.view.context(replaced)), resource, state, evaluated)


async def _create_when_free(
    walk: StackWalk,
    making_way: Any,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
) -> None:
    try:
        await maybe_await(making_way)
    except Exception as error:
        raise walk.record.interrupt(state, Action.CREATE, error) from None
    await maybe_await(_create_object(walk, resource, state, evaluated))


def _create_object(
    walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
) -> StepResult:
    """Creates the object of a row that is IN_PROGRESS."""
    hook = contract_of(resource.resource_type).create
    outcome: Awaitable[Any] | None
    if is_nested(resource):
        outcome = NestedStackActions.of(walk, resource, state).create(evaluated)
    elif hook is not None and can_be_found(resource.resource_type):

        def attempt() -> Coroutine[Any, Any, None]:
            return call_when_stored(walk, state, hook, state.properties)

        outcome = create_with_retries(walk, resource, state, evaluated, attempt, attempt)
    else:
        outcome = call(walk, state, Action.CREATE, hook, state.properties)
    if outcome is None:
        created(walk, state, resource)
        return None
    return finish(walk, outcome, state, Action.CREATE, lambda: created(walk, state, resource))


async def _find_or_create(
    walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
) -> None:
    """Looks for the object first, so that it is not created twice, and then applies the current definition."""
    contract = contract_of(resource.resource_type)
    find_object, hook = contract.find, contract.create
    assert find_object is not None
    assert hook is not None
    exists = False

    async def find() -> bool:
        nonlocal exists
        exists = await find_object(walk.view.context(state))
        return exists

    async def create_again() -> None:
        nonlocal exists
        await call_when_stored(walk, state, hook, state.properties)
        exists = True

    try:
        await create_with_retries(walk, resource, state, evaluated, find, create_again)
    except Exception as error:
        raise walk.record.interrupt(state, Action.CREATE, error) from None
    if exists:
        created(walk, state, resource)
        following = walk.apply(resource.name)
    else:
        following = _begin_again(walk, resource, state, evaluated)
    await maybe_await(following)
