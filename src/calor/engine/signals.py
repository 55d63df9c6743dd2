"""Signals: what comes in from outside while a stack is walked, or while nothing else happens to it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from calor.engine.states import ResourceState, StepFailed
from calor.store import records, tables
from calor.store.database import reading
from calor.types.behaviour import NothingToDo

if TYPE_CHECKING:
    from calor.engine.opened import OpenedStack
    from calor.engine.runs import Run

HOOK = "_hook"
"""Where a resource notes the hook at which it waits."""


def waiting(run: Run) -> list[records.Signal]:
    """The signals for a tree of stacks that nobody has handled yet, in order."""
    table = tables.inbox
    with reading(run.database).connect() as connection:
        query = select(table).where(table.c.root == run.stack.root).order_by(table.c.seq, table.c.id)
        return [records.record(records.Signal, row) for row in connection.execute(query)]


async def handle(run: Run, signal: records.Signal) -> None:
    """Gives a signal to its resource. A signal that fails is told as an event, and gone."""
    walk = await run.walk_of(signal.stack)
    state = walk.current.get(signal.resource) if walk is not None else None
    if walk is not None and state is not None:
        hook = (signal.details or {}).get("unset_hook")
        if hook is not None:
            clear_hook(walk, state, hook)
        else:
            await _deliver(walk, state, signal.details)
    run.journal.changes.delete(tables.inbox, signal.id)
    await run.journal.flush()


async def _deliver(walk: OpenedStack, state: ResourceState, details: dict[str, Any] | None) -> None:
    handler = getattr(walk.run.world.declaration(state.type_name), "signal", None)
    if handler is None:
        return
    try:
        outcome = handler(walk.context(state), details)
        reason = await outcome if inspect.isawaitable(outcome) else outcome
    except NothingToDo:
        return
    except Exception as error:
        walk.journal.event(walk.stack, state, ("SIGNAL", "FAILED"), StepFailed.of(error).reason)
        return
    told = f"Signal: {reason}" if reason else _told(details)
    walk.journal.event(walk.stack, state, ("SIGNAL", state.status), told)


def _told(details: dict[str, Any] | None) -> str:
    """What a signal without a word of its type says of itself."""
    given = details or {}
    if {"previous", "current", "reason"} <= given.keys():
        return f"alarm state changed from {given['previous']} to {given['current']} ({given['reason']})"
    return "Unknown"


def clear_hook(walk: OpenedStack, state: ResourceState, hook: str) -> None:
    if state.data.get(HOOK) != hook:
        return
    state.data = {name: value for name, value in state.data.items() if name != HOOK}
    walk.journal.resource(state)
    walk.journal.event(walk.stack, state, (state.action, state.status), f"Hook {hook} is cleared")
