"""Hooks: points at which the work on a resource waits until somebody says that it may go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calor.engine.states import ResourceState, StepFailed, Stopped

if TYPE_CHECKING:
    from calor.engine.opened import OpenedStack

HOOK = "_hook"
"""Where a resource notes the hook at which it waits."""

CLEARED = "_cleared"
"""Where a resource notes the hooks it has got past, and in which run: whoever takes over does not wait again."""


async def wait_at(walk: OpenedStack, state: ResourceState, hook: str) -> None:
    """Returns when the hook is cleared. Raises Stopped."""
    if hook in _cleared(walk, state):
        return
    if state.data.get(HOOK) != hook:
        state.data = {**state.data, HOOK: hook}
        reason = f"{walk.stack.action} paused until Hook {hook} is cleared"
        walk.journal.resource(state)
        walk.journal.event(walk.stack, state, (state.action, state.status), reason)
    try:
        while state.data.get(HOOK) == hook:
            walk.journal.send()
            if getattr(walk, "is_cancelled", False):
                raise StepFailed.cancelled(walk.stack.action)
            await walk.run.await_signal(60)
    except (Stopped, StepFailed) as end:
        if walk.run.aborted or isinstance(end, StepFailed):
            state.data = {name: value for name, value in state.data.items() if name != HOOK}
            walk.journal.resource(state)
        raise


def clear_hook(walk: OpenedStack, state: ResourceState, hook: str) -> None:
    if state.data.get(HOOK) != hook:
        return
    cleared = {walk.run.stack.run_id: [*_cleared(walk, state), hook]}
    kept = {name: value for name, value in state.data.items() if name != HOOK}
    state.data = {**kept, CLEARED: cleared}
    walk.journal.resource(state)
    walk.journal.event(walk.stack, state, (state.action, state.status), f"Hook {hook} is cleared")


def _cleared(walk: OpenedStack, state: ResourceState) -> list[str]:
    found: list[str] = state.data.get(CLEARED, {}).get(walk.run.stack.run_id, [])
    return found
