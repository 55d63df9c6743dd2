"""Looks at what there really is before a stack is updated, where the update asks for that.

What is gone counts as failed, so that it is replaced; what somebody has changed counts as changed, so that it is put
right again.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from calor.clouds.errors import CloudError
from calor.engine.acting import ActionWalk
from calor.engine.states import ResourceState
from calor.plan.drift import can_drift, differing, without_masks
from calor.plan.present import declared_type

if TYPE_CHECKING:
    from calor.engine.runs import Run
    from calor.store import records

CONVERGE = "converge"
"""What an update notes of itself that looks at what there really is."""

log = logging.getLogger(__name__)


async def look(run: Run, stack: records.Stack) -> set[str]:
    """Compares the resources of a stack, and of those below, with what their services show, and notes what differs
    in their rows. The stacks in which, or below which, something does."""
    opened = ActionWalk(run, stack, "CHECK", await run.resource_rows(stack.id))
    states = [state for state in opened.rows.values() if state.physical_id is not None]
    drifted = await asyncio.gather(*(_differs(opened, state) for state in states))
    found = {stack.id} if any(drifted) else set()
    for state in states:
        if (below := await run.stack_below(stack, state)) is not None:
            deeper = await look(run, below)
            found |= deeper | ({stack.id} if deeper else set())
    return found


async def _differs(opened: ActionWalk, state: ResourceState) -> bool:
    found: Any = declared_type(state, opened.run.world.declaration)
    if not can_drift(found, state):
        return False
    try:
        shown = await found.live(opened.context(state))
    except CloudError as error:
        log.warning("%s could not be looked at: %s", state.name, error)
        return False
    if shown is None:
        state.action, state.status, state.reason = "CHECK", "FAILED", f"{state.physical_id} is gone"
        opened.journal.transition(opened.stack, state)
        return True
    changed = differing(state, shown)
    if not changed:
        return False
    state.properties = {**state.properties, **changed}
    state.data = without_masks(state.data, changed)
    opened.journal.resource(state)
    return True
