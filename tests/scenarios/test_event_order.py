"""Events that several processes write concurrently: followers of a stack see all of them."""

from __future__ import annotations

import contextlib

from sqlalchemy import Connection

from calor.service.queries.events import Events
from calor.stacks.events import stack_event_row
from calor.store import database, records, tables
from calor.store.writer import Changes, Writer
from tests.support.workbench import Workbench, probe, template


def an_event(stack: records.Stack, reason: str) -> Changes:
    changes = Changes()
    changes.insert(tables.event, **stack_event_row(records.changed(stack, reason=reason), 0.0))
    return changes


def test_an_event_that_takes_long_to_be_written_is_not_missed(bench: Workbench) -> None:
    stack = bench.wait(bench.create(template({"p": probe("x")})))
    events = Events(database.reading(bench.database), 5)
    writers = [Writer(bench.database), Writer(bench.database)]
    news = events.since(stack, 0)

    def linger(connection: Connection) -> None:
        """Gives another the time to overtake, and a follower the time to see that."""
        nonlocal news
        late = writers[1].submit(an_event(stack, "later"))
        with contextlib.suppress(TimeoutError):
            late.result(timeout=0.5)
        news = events.since(stack, news.number)
        reported.extend(one.event.reason for one in news.events)

    reported: list[str] = []
    slow = an_event(stack, "sooner")
    slow.then(linger)
    writers[0].write(slow)
    for writer in writers:
        writer.close()

    reported.extend(one.event.reason for one in events.since(stack, news.number).events)
    assert reported == ["sooner", "later"]
