"""Signals: what comes in from outside while a stack is walked, or while nothing else happens to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from calor.engine.hooks import clear_hook
from calor.engine.renewing import renew_metadata
from calor.engine.states import ResourceState, StepFailed, Stopped
from calor.engine.walking import awaited
from calor.plan.present import EXTERNAL, declared_type
from calor.store import records, tables
from calor.store.database import reading
from calor.types.behaviour import NothingToDo

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk
    from calor.engine.runs import Run


WHOLE_STACK = ""
"""In place of a resource's name: what is done to a stack that is part of another is cancelled."""


class Inbox:
    """The signals for a tree of stacks. A signal stays in the database until it is handled: whoever takes over
    finds it there.

    Signals to one resource are handled one after the other, unless its type lets them overlap; those to
    different resources do not wait for each other, for one may be what another waits for.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._handling: dict[str, asyncio.Task[None]] = {}
        self._last: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._handled: set[str] = set()
        """They may have been read just before they were taken out."""
        self._looking: asyncio.Task[None] | None = None
        self._again = False

    def look(self) -> None:
        """Begins to handle what has come in."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        else:
            self._again = True

    async def emptied(self) -> None:
        """Returns when everything has been handled, or the run was told to stop."""
        self.look()
        while tasks := [task for task in (self._looking, *self._handling.values()) if task is not None]:
            await asyncio.wait(tasks)
            if self._looking is not None and self._looking.done():
                self._looking = None

    async def _look(self) -> None:
        looking = True
        while looking and not self._run.stop.is_set():
            self._again = False
            found = await asyncio.get_running_loop().run_in_executor(None, self._waiting)
            for signal in found:
                if signal.id not in self._handling and signal.id not in self._handled:
                    await self._begin(signal)
            looking = self._again

    def _waiting(self) -> list[records.Signal]:
        table = tables.inbox
        with reading(self._run.database).connect() as connection:
            query = select(table).where(table.c.root == self._run.stack.root)
            rows = connection.execute(query.order_by(table.c.seq, table.c.id))
            return [records.record(records.Signal, row) for row in rows]

    async def _begin(self, signal: records.Signal) -> None:
        walk = await self._run.walk_of(signal.stack)
        state = walk.current.get(signal.resource) if walk is not None else None
        place = (signal.stack, signal.resource)
        overlapping = state is not None and getattr(
            declared_type(state, self._run.world.declaration), "signals_overlap", False
        )
        before = None if overlapping else self._last.get(place)
        task = asyncio.ensure_future(self._run.followed(self._handle(signal, walk, state, before)))
        self._handling[signal.id] = self._last[place] = task

    async def _handle(
        self,
        signal: records.Signal,
        walk: StackWalk | None,
        state: ResourceState | None,
        before: asyncio.Task[None] | None,
    ) -> None:
        """Gives a signal to its resource. One that fails is told as an event, and gone."""
        if before is not None:
            await asyncio.wait([before])
        try:
            if signal.resource == WHOLE_STACK:
                self._run.cancel(signal.stack)
            elif walk is not None and state is not None:
                await _give(walk, state, signal)
            self._run.journal.changes.delete(tables.inbox, signal.id)
            await self._run.journal.flush()
            self._handled.add(signal.id)
        except Stopped:
            return
        except Exception:
            # It stays in the inbox, for whomever the stack is left to.
            self._run.stopped()
            if not self._run.left:
                raise
        finally:
            self._handling.pop(signal.id, None)
            self._run.signalled()


async def _give(walk: StackWalk, state: ResourceState, signal: records.Signal) -> None:
    hook = (signal.details or {}).get("unset_hook")
    if hook is not None:
        clear_hook(walk, state, hook)
    else:
        await _deliver(walk, state, signal)


async def _deliver(walk: StackWalk, state: ResourceState, signal: records.Signal) -> None:
    handler = getattr(declared_type(state, walk.run.world.declaration), "signal", None)
    if handler is None or state.data.get(EXTERNAL):
        return
    try:
        reason = await awaited(handler(walk.context(state, signal=signal.id), signal.details))
    except NothingToDo:
        return
    except (Stopped, asyncio.CancelledError):
        raise
    except Exception as error:
        walk.journal.event(walk.stack, state, ("SIGNAL", "FAILED"), StepFailed.of(error).reason)
        return
    told = f"Signal: {reason}" if reason else _told(signal.details)
    walk.journal.event(walk.stack, state, ("SIGNAL", state.status), told)
    await renew_metadata(walk, state)


def _told(details: dict[str, Any] | None) -> str:
    """What a signal without a word of its type says of itself."""
    given = details or {}
    if {"previous", "current", "reason"} <= given.keys():
        return f"alarm state changed from {given['previous']} to {given['current']} ({given['reason']})"
    return "Unknown"
