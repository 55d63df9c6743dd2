"""Calls the hooks of resource types and awaits their results."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.stack_walk import StackWalk
from calor.lifecycle import Action
from calor.resources.outcomes import NeedsReplacement
from calor.stacks.states import ResourceState, StepFailed, Stopped


def call(
    walk: StackWalk, state: ResourceState, action: Action, hook: Callable[..., Any] | None, *args: Any
) -> Awaitable[Any] | None:
    """Calls a hook; returns what has to be awaited, if anything."""
    if hook is None:
        return None
    try:
        outcome = hook(walk.view.context(state), *args)
    except NeedsReplacement:
        raise
    except Exception as error:
        raise walk.record.fail(state, action, StepFailed.of(error)) from None
    return outcome if inspect.isawaitable(outcome) else None


async def call_when_stored(
    walk: StackWalk, state: ResourceState, hook: Callable[..., Any], *args: Any
) -> None:
    """Calls a hook after the intent is stored, so that an engine that takes over looks for the object."""
    walk.journal.resource(state)
    await walk.journal.flush()
    if walk.run.control.stopped():
        raise Stopped
    await maybe_await(hook(walk.view.context(state), *args))


async def finish(
    walk: StackWalk,
    outcome: Awaitable[Any],
    state: ResourceState,
    action: Action,
    done: Callable[[], None],
) -> None:
    """Awaits the work of a step, then calls `done`."""
    try:
        await _store_intent(walk, action)
        await outcome
    except (NeedsReplacement, asyncio.CancelledError):
        raise
    except Exception as error:
        raise walk.record.interrupt(state, action, error) from None
    finally:
        if inspect.iscoroutine(outcome):
            # Not started if the intent could not be stored.
            outcome.close()
    done()


async def _store_intent(walk: StackWalk, action: Action) -> None:
    """Stores an update or a deletion before it is carried out: after a crash, another action must not take the resource
    for unchanged. That does not matter while the stack is deleted."""
    if action in (Action.UPDATE, Action.DELETE) and not walk.run.is_deletion:
        await walk.journal.flush()
        if walk.run.control.stopped():
            raise Stopped
    else:
        walk.journal.send()
