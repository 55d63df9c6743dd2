"""Keeps unchanged resources, and stores their new definition."""

from __future__ import annotations

from typing import Any

from calor.engine.view.refreshing import refresh_attributes
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.nested import NestedStackActions
from calor.engine.walk.stack_walk import StackWalk, StepResult
from calor.engine.walk.updating import update
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.plan.decision import decide_with_nested_stack
from calor.plan.kinds import Decision, Kind
from calor.plan.present import EXTERNAL, with_masks
from calor.plan.states import Wanted
from calor.stacks.states import ResourceState


def keep(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    wanted: Wanted,
) -> StepResult:
    if wanted.keeps_stack:
        return _keep_nested(walk, resource, state, evaluated, wanted)
    if not walk.view.knows_read_attributes(state, resource):
        return _keep_observed(walk, resource, state, evaluated)
    _keep(walk, resource, state, evaluated)
    return None


def _keep(walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated) -> None:
    before = _changeable(state)
    walk.record.follow(state, resource)
    if not state.data.get(EXTERNAL):
        # An unchanged value may have become secret.
        state.data = with_masks(state.data, evaluated.values)
    if walk.view.reads_new_attributes(state):
        walk.view.read_attributes(state, resource)
    if before != _changeable(state):
        walk.journal.resource(state)


async def _keep_observed(
    walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
) -> None:
    """Refreshes attributes first, as the template reads new ones."""
    await refresh_attributes(walk.view, state, resource)
    _keep(walk, resource, state, evaluated)


async def _keep_nested(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    wanted: Wanted,
) -> None:
    """Updates the nested stack if it changes."""
    nested = NestedStackActions(walk, resource, state)
    decision = decide_with_nested_stack(Decision(Kind.KEEP, ""), wanted, await nested.differs(evaluated))
    if decision.kind is Kind.FORBIDDEN:
        raise walk.record.forbid(resource, state, decision)
    if decision.kind is Kind.UPDATE:
        await maybe_await(update(walk, resource, state, evaluated, decision))
        return
    if walk.view.members_are_read or walk.view.reads_new_attributes(state):
        stack = await walk.run.rows.nested_stack(walk.stack, state)
        assert stack is not None
        await nested.reopen(evaluated, stack)
        walk.view.nested[resource.name] = nested.shown
    _keep(walk, resource, state, evaluated)


def _changeable(state: ResourceState) -> tuple[Any, ...]:
    """The fields that may change although a resource is kept."""
    return (
        state.type_name,
        state.requires,
        state.definition,
        state.data,
        state.replaced_by,
        state.attributes,
    )
