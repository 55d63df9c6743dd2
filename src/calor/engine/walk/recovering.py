"""Recovers failed resources, and rolls back unfinished replacements."""

from __future__ import annotations

from calor.engine.walk.creating import create, created
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.stack_walk import StackWalk
from calor.engine.walk.updating import update
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.lifecycle import Action
from calor.plan.decision import RESTRICTED, restriction
from calor.plan.kinds import Decision, Kind
from calor.resources.contract import contract_of
from calor.stacks.states import ResourceState, StepFailed


async def recover(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    decision: Decision,
) -> None:
    """Keeps a failed resource if its object is healthy, after completing its creation if necessary."""
    contract = contract_of(resource.resource_type)
    assert contract.is_healthy is not None
    was_created = state.action == Action.CREATE
    try:
        healthy = state.physical_id is not None and await contract.is_healthy(walk.view.context(state))
        if healthy and was_created and contract.find is not None:
            healthy = await contract.find(walk.view.context(state))
    except Exception as error:
        raise walk.record.interrupt(state, state.action, error) from None
    if not healthy and not decision.may_be(Kind.REPLACE):
        raise walk.record.refuse(state, StepFailed(RESTRICTED, restriction("replace")))
    if not healthy:
        following = create(walk, resource, evaluated, state)
    elif was_created:
        created(walk, state, resource)
        following = walk.apply(state.name)
    else:
        following = update(walk, resource, state, evaluated, decision)
    await maybe_await(following)


async def reclaim(walk: StackWalk, resource: ResourceDefinition, state: ResourceState) -> None:
    """Rolls back an unfinished replacement, then applies the definition."""
    revert_replace = contract_of(resource.resource_type).revert_replace
    assert revert_replace is not None
    try:
        await maybe_await(revert_replace(walk.view.context(state)))
    except Exception as error:
        raise walk.record.interrupt(state, Action.UPDATE, error) from None
    state.replaced_by = None
    await maybe_await(walk.apply(state.name))
