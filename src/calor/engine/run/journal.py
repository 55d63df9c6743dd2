"""Writes the changes of a run: rows of resources and stacks, and events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from calor.engine.run.telemetry import Telemetry
from calor.resources.values import JsonObject
from calor.stacks.events import event_row, stack_event_row
from calor.stacks.states import ResourceState
from calor.store import records, tables
from calor.store.writer import Changes, Lease, Writer

ENOUGH = 400
"""After how many rows a batch is sent."""


class Journal:
    """Collects the changes of a run. A resource that changes twice before its row is written is written once; all of
    its events are kept."""

    def __init__(
        self,
        writer: Writer,
        lease: Lease | None,
        clock: Callable[[], float],
        *,
        sealed: bool = False,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._writer = writer
        self._lease = lease
        self._clock = clock
        self.sealed = sealed
        self._telemetry = telemetry
        self._changed: dict[str, ResourceState] = {}
        self._gone: list[str] = []
        self._changes = Changes(lease, sealed)
        self._last: Future[None] | None = None
        self._rows = 0
        self.broken: BaseException | None = None
        """Why a change could not be written. The run's state then differs from the database."""

    def resource(self, state: ResourceState) -> None:
        """Writes the row of a resource with the next batch."""
        self._changed[state.id] = state
        self._count()

    def removed(self, state: ResourceState) -> None:
        """Deletes the row of a resource with the next batch."""
        self._changed.pop(state.id, None)
        if state.stored:
            self._changes.delete(tables.resource, state.id)
        self._count()

    def transition(
        self, stack: records.Stack, state: ResourceState, properties: JsonObject | None = None
    ) -> None:
        """Writes the row of a resource that has changed its state, with an event."""
        self.resource(state)
        if self._telemetry is not None:
            self._telemetry.step(stack, state, self._clock())
        self.event(stack, state, (state.action, state.status), state.reason, properties)

    def event(
        self,
        stack: records.Stack,
        of: ResourceState,
        state: tuple[str, str],
        reason: str,
        properties: JsonObject | None = None,
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
        """Changes a nested stack's row and adds an event; returns the changed stack."""
        changed = records.changed(stack, **values)
        self.stack(stack.id, **values)
        self.stack_event(changed)
        return changed

    def new_stack(self, **row: Any) -> None:
        self._changes.insert(tables.stack, **row)
        self._count()

    @property
    def changes(self) -> Changes:
        """The current batch, for other changes in the same transaction."""
        return self._changes

    def _count(self) -> None:
        self._rows += 1
        if self._rows >= ENOUGH:
            self.send()

    def send(self) -> Future[None] | None:
        """Sends the collected changes to the writer; returns the future of the last batch, if any."""
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
        """Waits until all changes are committed. Raises Stale and other write errors."""
        sent = self.send()
        if sent is not None:
            await asyncio.wrap_future(sent)
        if self.broken is not None:
            raise self.broken
