"""Lets operators end the action on a stack, whichever engine runs it."""

from __future__ import annotations

import time

from calor.stacks.ids import new_id
from calor.store import stacks
from calor.store.database import Database

REASON = "The status was reset by an operator"


def reset(database: Database, id: str) -> bool:
    """Sets IN_PROGRESS to FAILED in a whole tree of stacks and releases its lease. Returns whether the stack was in
    progress."""
    with database.begin() as connection:
        return stacks.fail_tree(connection, id, REASON, time.time(), new_id())
