"""Hooks: breakpoints at which a step waits until a user clears them."""

from __future__ import annotations

from collections.abc import Callable

from calor.engine.view.view import StackView
from calor.stacks.keys import HOOK
from calor.stacks.states import ResourceState, StepFailed, Stopped

CLEARED = "_cleared"
"""The key for cleared hooks by run, so that an engine that takes over does not wait again."""


async def wait_at(view: StackView, state: ResourceState, hook: str, is_cancelled: Callable[[], bool]) -> None:
    """Waits until the hook is cleared. Raises Stopped."""
    if hook in _cleared(view, state):
        return
    journal, control = view.run.journal, view.run.control
    if state.data.get(HOOK) != hook:
        state.data = {**state.data, HOOK: hook}
        reason = f"{view.stack.action} paused until Hook {hook} is cleared"
        journal.resource(state)
        journal.event(view.stack, state, (state.action, state.status), reason)
    try:
        while state.data.get(HOOK) == hook:
            journal.send()
            if is_cancelled():
                raise StepFailed.cancelled(view.stack.action)
            await control.await_signal(60)
    except (Stopped, StepFailed) as end:
        if control.aborted or isinstance(end, StepFailed):
            state.data = {name: value for name, value in state.data.items() if name != HOOK}
            journal.resource(state)
        raise


def clear_hook(view: StackView, state: ResourceState, hook: str) -> None:
    if state.data.get(HOOK) != hook:
        return
    cleared = {view.run.stack.run_id: [*_cleared(view, state), hook]}
    kept = {name: value for name, value in state.data.items() if name != HOOK}
    state.data = {**kept, CLEARED: cleared}
    view.run.journal.resource(state)
    view.run.journal.event(view.stack, state, (state.action, state.status), f"Hook {hook} is cleared")


def _cleared(view: StackView, state: ResourceState) -> list[str]:
    found: list[str] = state.data.get(CLEARED, {}).get(view.run.stack.run_id, [])
    return found
