"""Handles signals, during an action on the stack or without one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from calor.engine.signals.metadata import update_all_metadata
from calor.engine.view.view import OpenTree, StackView
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.hooks import clear_hook
from calor.lifecycle import Status
from calor.plan.present import EXTERNAL, declared_type
from calor.resources.contract import contract_of
from calor.resources.outcomes import NothingToDo
from calor.resources.values import JsonObject
from calor.stacks.keys import WHOLE_STACK
from calor.stacks.states import ResourceState, StepFailed, Stopped
from calor.store import records, tables
from calor.store.runs import signals_for

Define = Callable[[StackView], Awaitable[None]]
"""Loads the definition of a stack view that was opened without it."""


class Inbox:
    """The signals for a tree of stacks. A signal stays in the database until it is handled, so that no crash loses it.

    Signals to one resource are handled in order, unless its type handles them concurrently; signals to different
    resources do not wait for each other, as a handler may wait for another signal.
    """

    def __init__(self, tree: OpenTree, define: Define) -> None:
        self._tree = tree
        self._run = tree.run
        self._define = define
        self._handling: dict[str, asyncio.Task[None]] = {}
        self._last: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._handled: set[str] = set()
        """Ids of handled signals, which may still be read just before they are deleted."""
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False

    def look(self) -> None:
        """Starts handling new signals."""
        if self._closed:
            return
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        else:
            self._again = True

    async def close(self) -> None:
        """Waits until all known signals are handled, or the run is stopped. Later signals are left to another run."""
        while tasks := [task for task in (self._looking, *self._handling.values()) if task is not None]:
            await asyncio.wait(tasks)
            if self._looking is not None and self._looking.done():
                self._looking = None
        self._closed = True

    async def _look(self) -> None:
        looking = True
        while looking and not self._run.control.stop.is_set():
            self._again = False
            found = await asyncio.get_running_loop().run_in_executor(None, self._waiting)
            for signal in found:
                if signal.id not in self._handling and signal.id not in self._handled:
                    await self._begin(signal)
            looking = self._again

    def _waiting(self) -> list[records.Signal]:
        return signals_for(self._run.database, self._run.stack.root)

    async def _begin(self, signal: records.Signal) -> None:
        view = await self._tree.view_of(signal.stack)
        state = view.current.get(signal.resource) if view is not None else None
        place = (signal.stack, signal.resource)
        overlapping = (
            state is not None
            and contract_of(declared_type(state, self._run.world.declaration)).concurrent_signals
        )
        before = None if overlapping else self._last.get(place)
        task = asyncio.ensure_future(self._run.tracked(self._handle(signal, view, state, before)))
        self._handling[signal.id] = self._last[place] = task

    async def _handle(
        self,
        signal: records.Signal,
        view: StackView | None,
        state: ResourceState | None,
        before: asyncio.Task[None] | None,
    ) -> None:
        """Handles a signal. A failing one is reported as an event, and deleted."""
        if before is not None:
            await asyncio.wait([before])
        try:
            if signal.resource == WHOLE_STACK:
                self._run.control.cancel(signal.stack)
            elif view is not None and state is not None:
                await self._give(view, state, signal)
            self._run.journal.changes.delete(tables.inbox, signal.id)
            await self._run.journal.flush()
            self._handled.add(signal.id)
        except Stopped:
            return
        except Exception:
            # It stays in the inbox for the engine that continues.
            self._run.control.stopped()
            if not self._run.control.left:
                raise
        finally:
            self._handling.pop(signal.id, None)
            self._run.control.signalled()

    async def _give(self, view: StackView, state: ResourceState, signal: records.Signal) -> None:
        hook = (signal.details or {}).get("unset_hook")
        if hook is not None:
            clear_hook(view, state, hook)
        elif await _deliver(view, state, signal):
            await update_all_metadata(view, state, self._define)


async def _deliver(view: StackView, state: ResourceState, signal: records.Signal) -> bool:
    """Calls the resource's handler; returns whether it has handled the signal."""
    handler = contract_of(declared_type(state, view.run.world.declaration)).signal
    if handler is None or state.data.get(EXTERNAL):
        return False
    journal = view.run.journal
    try:
        reason = await maybe_await(handler(view.context(state, signal=signal.id), signal.details))
    except NothingToDo:
        return False
    except (Stopped, asyncio.CancelledError):
        raise
    except Exception as error:
        reason = StepFailed.of(error).without_secrets(state).reason
        journal.event(view.stack, state, ("SIGNAL", Status.FAILED), reason)
        return False
    message = f"Signal: {reason}" if reason else _summary(signal.details)
    journal.event(view.stack, state, ("SIGNAL", state.status), message)
    return True


def _summary(details: JsonObject | None) -> str:
    """The event's reason if the type returns none, as in Heat."""
    given = details or {}
    if {"previous", "current", "reason"} <= given.keys():
        return f"alarm state changed from {given['previous']} to {given['current']} ({given['reason']})"
    return "Unknown"
