"""The floor for creating a stack: the time for writing its rows to SQLite without anything else.

Times of a server are told as multiples of this, measured in the same run, because seconds do not carry from one
machine to another.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
import uuid
from pathlib import Path

TOGETHER = 200
"""Resources in a transaction."""


def seconds(resources: int, rounds: int = 5) -> float:
    """The best of some rounds."""
    return min(_seconds(resources) for _ in range(rounds))


def _seconds(resources: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "floor.db", isolation_level=None)
        database.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "CREATE TABLE resource(id TEXT PRIMARY KEY, stack TEXT, name TEXT, state TEXT, data TEXT, at REAL);"
            "CREATE TABLE event(seq INTEGER PRIMARY KEY, id TEXT, stack TEXT, resource TEXT, state TEXT, at REAL);"
            "CREATE INDEX by_stack ON resource(stack); CREATE INDEX in_order ON event(stack, seq);"
        )
        start = time.perf_counter()
        for first in range(0, resources, TOGETHER):
            _write(database, min(TOGETHER, resources - first))
        taken = time.perf_counter() - start
        database.close()
        return taken


def _write(database: sqlite3.Connection, count: int) -> None:
    ids = [str(uuid.uuid4()) for _ in range(count)]
    for state in ("CREATE_IN_PROGRESS", "CREATE_COMPLETE"):
        now = time.time()
        database.execute("BEGIN IMMEDIATE")
        if state == "CREATE_IN_PROGRESS":
            rows = [(id, "s", f"r{n}", state, json.dumps({"salt": str(n)}), now) for n, id in enumerate(ids)]
            database.executemany("INSERT INTO resource VALUES(?, ?, ?, ?, ?, ?)", rows)
        else:
            changes = [(state, now, id) for id in ids]
            database.executemany("UPDATE resource SET state = ?, at = ? WHERE id = ?", changes)
        events = [(str(uuid.uuid4()), "s", id, state, now) for id in ids]
        insert = "INSERT INTO event(id, stack, resource, state, at) VALUES(?, ?, ?, ?, ?)"
        database.executemany(insert, events)
        database.execute("COMMIT")
