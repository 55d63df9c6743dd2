"""SQLite: how to connect, and how transactions begin."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.pool import QueuePool

BUSY_TIMEOUT = 30.0

_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "cache_size=-2000",
    "temp_store=MEMORY",
)


class Writing(SQLiteDialect_pysqlite):
    """Transactions take the lock at once, so that writers wait for each other instead of failing.

    A dialect, because listeners of events would cost more than the statements that they send."""

    supports_statement_cache = True
    readers: Engine
    """For transactions that only read, on the same connections."""

    def connect(self, *args: Any, **options: Any) -> Any:
        _make_private(args[0])
        return super().connect(*args, **options)

    def on_connect(self) -> Callable[[Any], None]:
        prepare = super().on_connect()

        def connected(connection: Any) -> None:
            prepare(connection)
            # The driver must not start transactions; `do_begin` does.
            connection.isolation_level = None
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").close()

        return connected

    def do_begin(self, dbapi_connection: Any) -> None:
        dbapi_connection.dbapi_connection.execute("BEGIN IMMEDIATE")


class Reading(Writing):
    """Transactions take no lock, so that they never wait and cannot fail."""

    supports_statement_cache = True

    def on_connect(self) -> Callable[[Any], None]:
        # The pool is that of the writers, which have prepared the connection.
        return lambda _: None

    def do_begin(self, dbapi_connection: Any) -> None:
        dbapi_connection.dbapi_connection.execute("BEGIN")


registry.register("sqlite.calor", __name__, Writing.__name__)
registry.register("sqlite.calor_reading", __name__, Reading.__name__)


def connect(url: URL, **options: Any) -> Engine:
    """An engine for a database in WAL mode."""
    engine = sqlalchemy.create_engine(
        url.set(drivername="sqlite+calor"),
        **options,
        connect_args={"timeout": BUSY_TIMEOUT, "check_same_thread": False},
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=8,
        # Each connection caches pages in memory, so use as few as possible.
        pool_use_lifo=True,
    )
    readers = sqlalchemy.create_engine(
        url.set(drivername="sqlite+calor_reading"), **options, pool=engine.pool
    )
    for one in (engine, readers):
        assert isinstance(one.dialect, Writing)
        one.dialect.readers = readers
    return engine


def _make_private(name: str) -> None:
    """Creates a database file that only its owner can read, as SQLite then does with its other files. Databases in
    memory and SQLite URIs are left alone. Errors are left for SQLite to report."""
    if name == ":memory:" or name.startswith("file:"):
        return
    with contextlib.suppress(OSError):
        os.close(os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
