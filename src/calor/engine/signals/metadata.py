"""Re-evaluates metadata that may depend on a signal's effects, such as the members of a group."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from calor.engine.view.view import StackView
from calor.engine.walk.recorder import update_metadata
from calor.language.evaluation import evaluate_metadata
from calor.language.expressions import FunctionError
from calor.language.values import bare
from calor.lifecycle import Action
from calor.plan.present import METADATA, NESTED, declared_type
from calor.resources.contract import contract_of
from calor.stacks.states import ResourceState


async def update_all_metadata(
    view: StackView, signalled: ResourceState, define: Callable[[StackView], Awaitable[None]]
) -> None:
    """Re-evaluates the metadata of a stack's resources, except the signalled one. Only types with
    `refresh_metadata_on_signal` need that; without any, not even the definition is loaded with `define`."""
    if view.stack.action == Action.DELETE:
        return
    states = [state for state in view.current.values() if _may_change(view, state, signalled)]
    if not states:
        return
    await define(view)
    for state in states:
        resource = view.defined.resources[state.name]
        try:
            metadata = bare(evaluate_metadata(view.defined, resource, view.states))
        except FunctionError:
            # The metadata stays as it is: the signal itself was handled.
            continue
        if metadata != state.data.get(METADATA):
            update_metadata(state, metadata, resource)
            view.run.journal.resource(state)


def _may_change(view: StackView, state: ResourceState, signalled: ResourceState) -> bool:
    if state is signalled or not state.data.get(METADATA) or state.action in (Action.INIT, Action.DELETE):
        return False
    # A resource with an older definition gets its metadata from the running update.
    if state.definition != view.stack.definition:
        return False
    declared = declared_type(state, view.run.world.declaration)
    is_template = declared is None and bool(state.data.get(NESTED))
    return is_template or contract_of(declared).refresh_metadata_on_signal
