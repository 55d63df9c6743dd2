"""Connections: one way to open SQLite, PostgreSQL and MariaDB alike."""

from __future__ import annotations

import contextlib
import secrets
from typing import Any

import sqlalchemy
from sqlalchemy import Engine, event, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import QueuePool

from calor.store import sealing
from calor.store.cipher import Cipher
from calor.store.sealing import Seal
from calor.store.tables import digest_key, metadata

BUSY_TIMEOUT = 30.0


def connect(url: str, cipher: Cipher | None = None, *, seal_all: bool = False) -> Engine:
    """An engine for a database URL. With a cipher, stacks that have secrets are encrypted in it, all stacks with
    `seal_all`; without one nothing is, and what is encrypted cannot be read."""
    if cipher is None:
        return _connect(url)
    seal = Seal(cipher, seal_all)
    # Errors of the database would tell what was to be written.
    engine = _connect(url, json_serializer=seal.dumps, json_deserializer=seal.loads, hide_parameters=True)
    sealing.attach(engine, seal)
    return engine


def _connect(url: str, **options: Any) -> Engine:
    """SQLite runs in WAL mode, and its transactions take the write lock at once: two writers then wait for each
    other instead of failing halfway."""
    if not url.startswith("sqlite"):
        return sqlalchemy.create_engine(url, pool_pre_ping=True, pool_recycle=1800, **options)
    engine = sqlalchemy.create_engine(
        url,
        **options,
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


def seal_of(engine: Engine) -> Seal | None:
    """The seal of a database, ready to compute digests. Raises WrongKey if the cipher cannot read what was
    encrypted before."""
    seal = sealing.attached(engine.dialect)
    if seal is not None and not seal.digest_key:
        seal.digest_key = _digest_key(engine, seal.cipher)
    return seal


def _digest_key(engine: Engine, cipher: Cipher) -> bytes:
    def stored() -> bytes | None:
        with reading(engine).connect() as connection:
            secret = connection.execute(select(digest_key.c.secret)).scalar_one_or_none()
        return None if secret is None else cipher.open(bytes(secret))

    known = stored()
    while known is None:
        # Another process may be faster.
        with contextlib.suppress(IntegrityError), engine.begin() as connection:
            row = {"id": 1, "secret": cipher.seal(secrets.token_bytes(32))}
            connection.execute(digest_key.insert(), [row])
        known = stored()
    return known
