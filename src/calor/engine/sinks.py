"""Event sinks: queues, named in the environment, to which the events of a stack are posted as well.

Events are read back from the database and posted in their order, beside the walk. A sink that fails loses what it
was to be told: no stack waits for it. Whoever takes over from an engine that died may post an event twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from calor.clouds.errors import CloudError
from calor.engine import definitions
from calor.engine.events import stack_event_row
from calor.engine.states import LeaseLost
from calor.store import records, tables
from calor.store.database import reading

if TYPE_CHECKING:
    from calor.clouds.zaqar import Queues
    from calor.engine.runs import Run

log = logging.getLogger(__name__)

LIFETIME = 3600
"""Seconds that a message lives unless the environment says otherwise."""
TOGETHER = 10
"""Messages in one request."""
SECONDS = 0.5

Connect = Callable[[], "Queues"]


class Sinks:
    """The sinks of one run."""

    def __init__(self, run: Run, connect: Connect) -> None:
        self._run = run
        self._connect = connect
        self._wanted: list[Mapping[str, Any]] | None = None
        self._queues: Queues | None = None
        self._last = -1
        self._task: asyncio.Task[None] | None = None
        self._posting = Lock()

    def open(self) -> None:
        """Begins to post, if the stack's environment has sinks."""
        self._task = asyncio.ensure_future(self._post_all())

    async def close(self, ended: records.Stack | None = None) -> None:
        """Returns when all that is stored has been posted, and then the end of a stack that is not stored yet."""
        if self._task is None:
            return
        task, self._task = self._task, None
        task.cancel()
        await asyncio.wait([task])
        loop = asyncio.get_running_loop()
        if self._wanted is None:
            self._wanted = await loop.run_in_executor(None, self._read_wanted)
        if self._wanted:
            await self._run.journal.flush()
            await loop.run_in_executor(None, self._post, ended)

    async def _post_all(self) -> None:
        loop = asyncio.get_running_loop()
        self._wanted = await loop.run_in_executor(None, self._read_wanted)
        while self._wanted:
            await loop.run_in_executor(None, self._post)
            await asyncio.sleep(SECONDS)

    def _read_wanted(self) -> list[Mapping[str, Any]]:
        with reading(self._run.database).connect() as connection:
            if not definitions.has_sinks(connection, self._run.stack.definition):
                return []
        found = self._run.defined(self._run.stack.definition).environment.event_sinks
        return [sink for sink in found if sink.get("type") == "zaqar-queue" and sink.get("target")]

    def _post(self, ended: records.Stack | None = None) -> None:
        # A thread that was given up on may still be at it. Whoever takes the stack over posts what is left.
        with self._posting, suppress(LeaseLost):
            self._run.fenced(self._post_news, ended)

    def _post_news(self, ended: records.Stack | None) -> None:
        events = self._news()
        if ended is not None:
            last = stack_event_row(ended, self._run.now())
            events.append(records.Event(seq=self._last, **last))
        for first in range(0, len(events), TOGETHER):
            part = events[first : first + TOGETHER]
            for sink in self._wanted or ():
                self._post_to(sink, [message(event) for event in part])
            self._last = part[-1].seq

    def _news(self) -> list[records.Event]:
        table = tables.event
        with reading(self._run.database).connect() as connection:
            if self._last < 0:
                self._last = self._beginning(connection)
            query = select(table).where(table.c.root == self._run.stack.root, table.c.seq > self._last)
            return [
                records.record(records.Event, row) for row in connection.execute(query.order_by(table.c.seq))
            ]

    def _beginning(self, connection: Any) -> int:
        """The number before that of the event with which the action began."""
        stack, table = self._run.stack, tables.event
        began = select(func.max(table.c.seq)).where(
            table.c.stack == stack.id,
            table.c.resource == stack.name,
            table.c.action == stack.action,
            table.c.status == "IN_PROGRESS",
        )
        found = connection.execute(began).scalar()
        return found - 1 if found is not None else 0

    def _post_to(self, sink: Mapping[str, Any], bodies: list[dict[str, Any]]) -> None:
        try:
            self._queues = self._queues or self._connect()
            self._queues.post(str(sink["target"]), bodies, int(sink.get("ttl") or LIFETIME))
        except (CloudError, ValueError) as error:
            log.warning("events of stack %s are lost to %s: %s", self._run.stack.id, sink["target"], error)


def message(event: records.Event) -> dict[str, Any]:
    """An event as readers of the queue know it."""
    return {
        "timestamp": datetime.fromtimestamp(event.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "version": "0.1",
        "type": "os.heat.event",
        "id": event.id,
        "payload": {
            "resource_name": event.resource,
            "physical_resource_id": event.physical_id,
            "stack_id": event.stack,
            "resource_action": event.action,
            "resource_status": event.status,
            "resource_status_reason": event.reason,
            "resource_type": event.type,
            "resource_properties": event.properties,
            "version": "0.1",
        },
    }
