"""Rows of events."""

from __future__ import annotations

from collections.abc import Mapping

from calor.store import tables
from calor.store.writer import Changes


def add(changes: Changes, event: Mapping[str, object]) -> None:
    """Adds an event built by `calor.stacks.events`. The database numbers events in the order they are written."""
    changes.insert(tables.event, **event)
