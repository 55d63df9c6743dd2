"""The row of a run's root stack, which only the run of the current action may change."""

from __future__ import annotations

import time
from typing import Any

from calor.engine.run.journal import Journal
from calor.stacks.events import stack_event_row
from calor.store import records
from calor.store.runs import RunChange


class RootStack:
    """The row in memory. Changes are written unless a newer action has begun."""

    def __init__(self, row: records.Stack, journal: Journal) -> None:
        self.row = row
        self._journal = journal
        self.superseded = False
        """Whether a newer action has begun."""

    def change(self, **values: Any) -> None:
        """Changes the row and adds an event of the stack."""
        run_id = self.row.run_id
        self.row = stack = records.changed(self.row, **values)
        event = stack_event_row(stack, time.time())
        change = RunChange(stack.id, run_id, stack.sealed)
        self._journal.changes.then(lambda connection: self._note(change.write(connection, values, event)))

    def change_reason(self, reason: str) -> None:
        """Changes the reason of the stack's state, without an event."""
        self.row = stack = records.changed(self.row, reason=reason)
        change = RunChange(stack.id, stack.run_id, stack.sealed)
        self._journal.changes.then(lambda connection: change.write_reason(connection, reason))

    def refresh(self, **values: Any) -> None:
        """Sets columns that were written elsewhere."""
        self.row = records.changed(self.row, **values)

    def _note(self, written: bool) -> None:
        self.superseded = self.superseded or not written
