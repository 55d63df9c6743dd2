"""Renews metadata that are made from what a signal may have changed, such as the members of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calor.engine.states import ResourceState
from calor.language.evaluation import evaluate_metadata
from calor.language.expressions import FunctionError
from calor.language.values import bare
from calor.plan.present import METADATA, NESTED, declared_type

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk


async def renew_metadata(walk: StackWalk, signalled: ResourceState) -> None:
    """Evaluates the metadata of the resources of a stack anew, but for the one that was signalled. Only types that
    hand metadata on need that; of a stack without any, not even the definition is read."""
    if walk.stack.action == "DELETE":
        return
    states = [state for state in walk.current.values() if _may_change(walk, state, signalled)]
    if not states:
        return
    await walk.run.below.define(walk)
    assert walk.definition is not None
    for state in states:
        resource = walk.definition.resources[state.name]
        try:
            metadata = bare(evaluate_metadata(walk.definition, resource, walk.states))
        except FunctionError:
            # They stay as they are: the signal itself was handled.
            continue
        if metadata != state.data.get(METADATA):
            walk.renew_metadata(state, metadata, resource)
            walk.journal.resource(state)


def _may_change(walk: StackWalk, state: ResourceState, signalled: ResourceState) -> bool:
    if state is signalled or not state.data.get(METADATA) or state.action in ("INIT", "DELETE"):
        return False
    # What an update has yet to reach follows another template, and is told of the new one by that update.
    if state.definition != walk.stack.definition:
        return False
    declared = declared_type(state, walk.run.world.declaration)
    is_template = declared is None and bool(state.data.get(NESTED))
    return is_template or getattr(declared, "follows_metadata", False)
