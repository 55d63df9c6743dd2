"""Compares resources with their objects before an update with `converge`.

A resource without its object is set to FAILED, so that it is replaced; changed properties are stored, so that the
update restores them.
"""

from __future__ import annotations

import asyncio
import logging

from calor.clouds.errors import CloudError
from calor.engine.view.view import OpenTree, StackView
from calor.lifecycle import Action, Status
from calor.plan.drift import can_drift, differing, without_masks
from calor.plan.present import declared_type
from calor.resources.contract import contract_of
from calor.stacks.states import ResourceState
from calor.store import records

log = logging.getLogger(__name__)


async def find_drift(tree: OpenTree, stack: records.Stack) -> set[str]:
    """Compares the resources of a stack and its nested stacks with their objects, and stores differences in their rows.
    Returns the stacks with differences, at any level."""
    rows = tree.run.rows
    opened = StackView(tree, stack, None, await rows.resources(stack.id))
    states = [state for state in opened.rows.values() if state.physical_id is not None]
    drifted = await asyncio.gather(*(_differs(opened, state) for state in states))
    found = {stack.id} if any(drifted) else set()
    for state in states:
        if (nested := await rows.nested_stack(stack, state)) is not None:
            deeper = await find_drift(tree, nested)
            found |= deeper | ({stack.id} if deeper else set())
    return found


async def _differs(opened: StackView, state: ResourceState) -> bool:
    found = declared_type(state, opened.run.world.declaration)
    live = contract_of(found).live_state
    if live is None or not can_drift(found, state):
        return False
    try:
        shown = await live(opened.context(state))
    except CloudError as error:
        log.warning("%s could not be compared: %s", state.name, error)
        return False
    if shown is None:
        state.action, state.status, state.reason = Action.CHECK, Status.FAILED, f"{state.physical_id} is gone"
        opened.run.journal.transition(opened.stack, state)
        return True
    changed = differing(state, shown)
    if not changed:
        return False
    state.properties = {**state.properties, **changed}
    state.data = without_masks(state.data, changed)
    opened.run.journal.resource(state)
    return True
