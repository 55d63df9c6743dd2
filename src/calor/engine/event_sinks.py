"""Event sinks: queues in the environment to which the events of a stack are posted.

Events are read from the database and posted in order, in the background. Events for a failing sink are lost: no stack
waits for it. An engine that takes over a stack may post an event twice.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock

from calor.clouds.errors import CloudError
from calor.clouds.zaqar import Queues
from calor.engine.run.run import Run
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks import definitions
from calor.stacks.events import stack_event_row
from calor.stacks.states import LeaseLost
from calor.store import records
from calor.store.runs import event_before_action, events_after

log = logging.getLogger(__name__)

LIFETIME = 3600
"""The default TTL of messages in seconds."""
BATCH = 10
"""Messages per request."""
SECONDS = 0.5


class EventSinks:
    """The sinks of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._wanted: list[JsonMapping] | None = None
        self._queues: Queues | None = None
        self._last = -1
        self._task: asyncio.Task[None] | None = None
        self._posting = Lock()

    def open(self) -> None:
        """Starts posting, if the stack's environment has sinks."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._post_all())

    async def close(self, ended: records.Stack | None = None) -> None:
        """Posts the remaining stored events, and the final event of a stack that is not stored yet."""
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

    def _read_wanted(self) -> list[JsonMapping]:
        if not self._run.rows.query_now(definitions.has_stored_sinks, self._run.stack.definition):
            return []
        found = self._run.defined(self._run.stack.definition).environment.event_sinks
        return [sink for sink in found if sink.get("type") == "zaqar-queue" and sink.get("target")]

    def _post(self, ended: records.Stack | None = None) -> None:
        # A cancelled thread may still be posting. An engine that takes the stack over posts the rest.
        with self._posting, suppress(LeaseLost):
            self._run.control.fenced(self._post_news, ended)

    def _post_news(self, ended: records.Stack | None) -> None:
        events = self._news()
        if ended is not None:
            last = stack_event_row(ended, self._run.now())
            events.append(records.Event(seq=self._last, **last))
        for first in range(0, len(events), BATCH):
            part = events[first : first + BATCH]
            for sink in self._wanted or ():
                self._post_to(sink, [message(event) for event in part])
            self._last = part[-1].seq

    def _news(self) -> list[records.Event]:
        database, stack = self._run.database, self._run.stack
        if self._last < 0:
            self._last = event_before_action(database, stack)
        return events_after(database, stack.root, self._last)

    def _post_to(self, sink: JsonMapping, bodies: list[JsonObject]) -> None:
        try:
            self._queues = self._queues or self._run.owner.queues()
            self._queues.post(str(sink["target"]), bodies, int(sink.get("ttl") or LIFETIME))
        except (CloudError, ValueError) as error:
            log.warning(
                "events of stack %s could not be posted to %s: %s", self._run.stack.id, sink["target"], error
            )


def message(event: records.Event) -> JsonObject:
    """An event in Heat's message format."""
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
