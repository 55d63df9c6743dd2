"""Deletes obsolete and replaced resources."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.engine.walk.creating import can_be_found, cannot_have_object
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.handlers import call, finish
from calor.engine.walk.hooks import wait_at
from calor.engine.walk.nested import delete_nested
from calor.engine.walk.stack_walk import StackWalk, StepResult
from calor.lifecycle import Action, Status
from calor.plan.present import DELETION_POLICY, EXTERNAL, declared_type
from calor.resources.context import Context
from calor.resources.contract import ResourceType, contract_of
from calor.stacks.keys import HOOK
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState, StepFailed
from calor.stacks.tree import has_stack


def delete(walk: StackWalk, state: ResourceState) -> StepResult:
    """Deletes a row, unless it is the current one of a resource in the definition."""
    definition = walk.view.definition
    wanted = definition is not None and state.name in definition.resources
    if wanted and walk.view.current.get(state.name) is state:
        return None
    if state.state == "DELETE_COMPLETE" and state.data.get(HOOK) == "post-delete":
        return _remove_after_hook(walk, state)
    if state.action == Action.INIT or (state.action == Action.DELETE and state.status == Status.COMPLETE):
        walk.journal.removed(state)
        return None
    before = state.state
    walk.record.enter(state, Action.DELETE, None)
    outcome = _delete_object(walk, state, before)
    if outcome is None:
        return _deleted(walk, state)
    return _finish(walk, outcome, state)


def _delete_object(walk: StackWalk, state: ResourceState, before: str) -> Awaitable[Any] | None:
    """Deletes the object of a row; returns None if nothing has to be awaited."""
    found = declared_type(state, walk.run.world.declaration)
    policy = state.data.get(DELETION_POLICY)
    if policy == "Retain" or state.data.get(EXTERNAL):
        return None
    if has_stack(state):
        return delete_nested(walk, state)
    if RunNotes.of(walk.run.stack).retain or cannot_have_object(state, found):
        return None
    if _has_equivalent_replacement(walk, state, found):
        return None
    if found is None and state.physical_id is not None:
        message = (
            f"{state.physical_id} cannot be deleted: the resource type {state.type_name} does not exist."
        )
        raise walk.record.fail(state, Action.DELETE, StepFailed("ResourceTypeUnavailable", message))
    contract = contract_of(found)
    if state.physical_id is None and can_be_found(found):
        return _find_and_delete(contract, walk.view.context(state))
    # An object that was not created completely needs no snapshot.
    keeps = policy == "Snapshot" and before not in ("CREATE_FAILED", "CREATE_IN_PROGRESS")
    hook = contract.snapshot_delete if keeps else None
    return call(walk, state, Action.DELETE, hook or contract.delete)


def _has_equivalent_replacement(
    walk: StackWalk, state: ResourceState, found: type[ResourceType] | None
) -> bool:
    """Whether its replacement associates the same objects, so that the association has to stay."""
    replacement = walk.view.current.get(state.name)
    if replacement is None or replacement is state or replacement.type_name != state.type_name:
        return False
    ends = contract_of(found).association_properties
    return bool(ends) and all(replacement.properties.get(end) == state.properties.get(end) for end in ends)


async def _finish(walk: StackWalk, outcome: Awaitable[Any], state: ResourceState) -> None:
    await finish(walk, outcome, state, Action.DELETE, lambda: None)
    await maybe_await(_deleted(walk, state))


def _deleted(walk: StackWalk, state: ResourceState) -> StepResult:
    walk.record.complete(state, Action.DELETE)
    if walk.stack.action == Action.DELETE and "post-delete" in walk.view.registry.hooks(state.name):
        return _remove_after_hook(walk, state)
    _remove(walk, state)
    return None


async def _remove_after_hook(walk: StackWalk, state: ResourceState) -> None:
    await wait_at(walk.view, state, "post-delete", walk.is_cancelled)
    _remove(walk, state)


def _remove(walk: StackWalk, state: ResourceState) -> None:
    walk.journal.removed(state)
    walk.run.owner.unregister_object(state)
    if walk.view.current.get(state.name) is state:
        del walk.view.current[state.name]


async def _find_and_delete(contract: type[ResourceType], ctx: Context) -> None:
    """Looks for the object of an interrupted creation and deletes it. If names in the request are not found or
    ambiguous, it cannot have been sent."""
    assert contract.find is not None
    try:
        exists = await contract.find(ctx)
    except (NotFound, Conflict):
        return
    if exists and contract.delete is not None:
        await maybe_await(contract.delete(ctx))
