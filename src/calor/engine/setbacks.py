"""Work that breaks off: for a passing reason it is taken up again at once, for one that stays it is given up."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Connection, delete, select, update

from calor.engine.events import stack_event_row
from calor.store import records, sealing, tables
from calor.store.outages import is_passing
from calor.store.writer import Changes, Lease

MOST = 4
"""How often in a row the same action may break off."""
FIRST_REST = 0.25
"""Seconds, which double each time."""
_LONGEST = 500


class Setbacks:
    """Of the stacks of one engine."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._numbers: dict[str, tuple[str, int]] = {}
        self._until: dict[str, float] = {}

    def met(self, stack: str, run_id: str, error: Exception) -> bool:
        """Whether the action is to be given up, as this has happened too often by now."""
        if is_passing(error):
            return False
        before, number = self._numbers.get(stack, (run_id, 0))
        number = number + 1 if before == run_id else 1
        self._numbers[stack] = (run_id, number)
        self._until[stack] = self._clock() + FIRST_REST * 2 ** (number - 1)
        return number >= MOST

    def overcome(self, stack: str) -> None:
        self._numbers.pop(stack, None)
        self._until.pop(stack, None)

    def rests(self, stack: str) -> bool:
        return self._until.get(stack, 0.0) > self._clock()


def broken_off(error: Exception) -> str:
    """Why an action is given up that broke off again and again."""
    said = f"{type(error).__name__}: {error}"[:_LONGEST].encode("ascii", "backslashreplace").decode()
    return f"The work broke off again and again: {said}"


def giving_up(stack: records.Stack, lease: Lease, reason: str) -> Changes:
    """What ends an action under way as failed, unless a newer one has come; or, where there is none, the signals."""
    values = {"status": "FAILED", "reason": reason, "run": {}}
    table = tables.stack
    mine = (table.c.id == stack.id, table.c.run_id == stack.run_id)

    def write(connection: Connection) -> None:
        # What the run believes of the stack may be more than could be written.
        found = connection.execute(select(table).where(*mine)).one_or_none()
        present = records.record(records.Stack, found) if found is not None else None
        if present is not None and present.status == "IN_PROGRESS":
            event = stack_event_row(records.changed(present, **values), time.time())
            [row] = sealing.protect(connection, table, [values], stack.sealed)
            connection.execute(update(table).where(*mine).values(row))
            told = sealing.protect(connection, tables.event, [event], stack.sealed)
            connection.execute(tables.event.insert(), told)
        elif present is not None:
            connection.execute(delete(tables.inbox).where(tables.inbox.c.root == stack.id))

    changes = Changes(lease, stack.sealed)
    changes.then(write)
    return changes
