"""Writes down what a run does: rows of resources and stacks as they are when it is time to write, and every
event there was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from calor.engine.events import event_row, stack_event_row
from calor.engine.states import ResourceState
from calor.engine.watching import Watch
from calor.store import records, tables
from calor.store.writer import Changes, Lease, Writer

ENOUGH = 400
"""How many rows wait at most before they are sent to be written."""


class Journal:
    """Collects what a run has to write. A resource that changes twice before its row is written is written
    once; its events are all kept."""

    def __init__(
        self,
        writer: Writer,
        lease: Lease | None,
        clock: Callable[[], float],
        *,
        sealed: bool = False,
        watch: Watch | None = None,
    ) -> None:
        self._writer = writer
        self._lease = lease
        self._clock = clock
        self.sealed = sealed
        self._watch = watch
        self._changed: dict[str, ResourceState] = {}
        self._gone: list[str] = []
        self._changes = Changes(lease, sealed)
        self._last: Future[None] | None = None
        self._rows = 0
        self.broken: BaseException | None = None
        """Why something could not be written. What the run knows is then more than what is stored."""

    def resource(self, state: ResourceState) -> None:
        """The row of a resource has to be written."""
        self._changed[state.id] = state
        self._count()

    def removed(self, state: ResourceState) -> None:
        """The row of a resource has to go."""
        self._changed.pop(state.id, None)
        if state.stored:
            self._changes.delete(tables.resource, state.id)
        self._count()

    def transition(
        self, stack: records.Stack, state: ResourceState, properties: dict[str, Any] | None = None
    ) -> None:
        """A resource has changed its state: its row has to be written, and an event tells of it."""
        self.resource(state)
        if self._watch is not None:
            self._watch.step(stack, state, self._clock())
        self.event(stack, state, (state.action, state.status), state.reason, properties)

    def event(
        self,
        stack: records.Stack,
        of: ResourceState,
        state: tuple[str, str],
        reason: str,
        properties: dict[str, Any] | None = None,
    ) -> None:
        row = event_row(
            stack, of.name, of.type_name, of.physical_id, state, reason, self._clock(), properties
        )
        self._changes.inserts[tables.event].append(row)
        self._count()

    def stack_event(self, stack: records.Stack) -> None:
        self._changes.inserts[tables.event].append(stack_event_row(stack, self._clock()))
        self._count()

    def stack(self, id: str, **values: Any) -> None:
        self._changes.update(tables.stack, id, **values)
        self._count()

    def stack_changed(self, stack: records.Stack, **values: Any) -> records.Stack:
        """Changes a nested stack's row and tells its state as an event; the stack as it is then."""
        changed = records.changed(stack, **values)
        self.stack(stack.id, **values)
        self.stack_event(changed)
        return changed

    def new_stack(self, **row: Any) -> None:
        self._changes.insert(tables.stack, **row)
        self._count()

    @property
    def changes(self) -> Changes:
        """For whatever else belongs into the same transaction."""
        return self._changes

    def _count(self) -> None:
        self._rows += 1
        if self._rows >= ENOUGH:
            self.send()

    def send(self) -> Future[None] | None:
        """Sends what has collected to the writer; the future of the newest batch, if there is any."""
        for state in self._changed.values():
            if state.stored:
                self._changes.update(tables.resource, state.id, **state.row())
            else:
                self._changes.insert(tables.resource, id=state.id, **state.row())
                state.stored = True
        self._changed.clear()
        self._rows = 0
        if self._changes:
            self._changes.after = self._last
            self._last = self._writer.submit(self._changes)
            self._last.add_done_callback(self._written)
            self._changes = Changes(self._lease, self.sealed)
        return self._last

    def _written(self, batch: Future[None]) -> None:
        self.broken = self.broken or batch.exception()

    async def flush(self) -> None:
        """Returns when all that was noted so far is committed. Raises Stale, and whatever kept it from being
        written."""
        sent = self.send()
        if sent is not None:
            await asyncio.wrap_future(sent)
        if self.broken is not None:
            raise self.broken
