"""Connections: one way to open SQLite, PostgreSQL and MariaDB alike."""

from __future__ import annotations

from typing import Any

import sqlalchemy
from sqlalchemy import Engine, event
from sqlalchemy.pool import QueuePool

from calor.store.tables import metadata

BUSY_TIMEOUT = 30.0


def connect(url: str) -> Engine:
    """An engine for a database URL. SQLite runs in WAL mode, and its transactions take the write lock at once:
    two writers then wait for each other instead of failing halfway."""
    if not url.startswith("sqlite"):
        return sqlalchemy.create_engine(url, pool_pre_ping=True, pool_recycle=1800)
    engine = sqlalchemy.create_engine(
        url,
        connect_args={"timeout": BUSY_TIMEOUT, "check_same_thread": False},
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=8,
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: Any) -> None:
    # The driver must not begin transactions by itself; `_begin_sqlite` does.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "cache_size=-16000",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sqlalchemy.Connection) -> None:
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def reading(engine: Engine) -> Engine:
    """The engine for transactions that only read: they never wait for a writer."""
    return engine.execution_options(reading=True)


def create_tables(engine: Engine) -> None:
    metadata.create_all(engine)
