"""Updates resources in place, and replaces them if their type raises NeedsReplacement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from calor.engine.walk.creating import create
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.handlers import call, finish
from calor.engine.walk.nested import NestedStackActions
from calor.engine.walk.recorder import is_nested, update_metadata
from calor.engine.walk.stack_walk import StackWalk, StepResult
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.values import bare
from calor.lifecycle import Action, Status
from calor.plan.decision import RESTRICTED, restriction
from calor.plan.kinds import Change, Decision, Kind
from calor.plan.present import EXTERNAL
from calor.resources.contract import contract_of
from calor.resources.outcomes import NeedsReplacement
from calor.resources.values import JsonMapping
from calor.stacks.states import ResourceState, StepFailed

CHANGING = "_changing"
"""The key for the properties that an update is changing."""


def update(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    decision: Decision,
) -> StepResult:
    if state.data.get(EXTERNAL):
        message = f"{state.name} has an external_id and cannot be changed"
        raise walk.record.fail_before(resource, state, StepFailed("NotSupported", message))
    properties = bare(evaluated.values)
    # Set properties of an interrupted update again, even to the old values.
    changed = decision.changed | frozenset(state.data.get(CHANGING, ()))
    state.data = {**state.data, CHANGING: sorted(changed)}
    walk.record.enter(state, Action.UPDATE, evaluated.values)
    outcome: Awaitable[Any] | None
    if is_nested(resource):
        outcome = NestedStackActions.of(walk, resource, state).update(evaluated)
    else:
        hook = contract_of(resource.resource_type).update
        try:
            outcome = call(walk, state, Action.UPDATE, hook, properties, changed)
        except NeedsReplacement:
            return _replace_after_all(walk, resource, state, evaluated)

    def done() -> None:
        state.set_properties(evaluated.values)
        state.data = {name: value for name, value in state.data.items() if name != CHANGING}
        update_metadata(state, bare(evaluated.metadata), resource)
        walk.record.follow(state, resource)
        walk.view.read_attributes(state, resource)
        walk.record.complete(state, Action.UPDATE)

    if outcome is None:
        done()
        return None
    return _finish(walk, outcome, state, resource, evaluated, done)


async def _finish(
    walk: StackWalk,
    outcome: Awaitable[Any],
    state: ResourceState,
    resource: ResourceDefinition,
    evaluated: Evaluated,
    done: Callable[[], None],
) -> None:
    try:
        await finish(walk, outcome, state, Action.UPDATE, done)
    except NeedsReplacement:
        await maybe_await(_replace_after_all(walk, resource, state, evaluated))


def _replace_after_all(
    walk: StackWalk, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
) -> StepResult:
    reason = f"The Resource {state.name} requires replacement."
    walk.record.announce(state, Action.UPDATE, Status.COMPLETE, reason)
    if "replace" in walk.view.registry.restricted_actions(state.name):
        raise walk.record.refuse(state, StepFailed(RESTRICTED, restriction("replace")))
    return create(walk, resource, evaluated, state)


async def update_single(walk: StackWalk, reference: str, values: JsonMapping) -> None:
    """Updates some properties of a resource. Its row keeps the template's values, which the next update of the stack
    restores."""
    view = walk.view
    state = view.by_reference(reference)
    if state is None or state.name not in view.defined.resources:
        raise StepFailed("NotFound", f"the stack has no resource {reference}")
    resource = view.defined.resources[state.name]
    evaluated = view.evaluated(resource)
    given = replace(evaluated, values={**evaluated.values, **values})
    changes = tuple(Change(name, state.properties.get(name), value) for name, value in values.items())
    decision = Decision(Kind.UPDATE, "requested by another resource", changes)
    await maybe_await(update(walk, resource, state, given, decision))
    state.set_properties(evaluated.values)
    walk.journal.resource(state)
