"""Connections: one way to open SQLite, PostgreSQL and MariaDB alike."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import time
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Dialect, Engine, event, make_url, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from calor.store import sealing
from calor.store.cipher import Cipher
from calor.store.outages import LONGEST_PAUSE, is_passing, pauses
from calor.store.sealing import Seal
from calor.store.tables import digest_key

log = logging.getLogger(__name__)

BUSY_TIMEOUT = 30.0
CONNECT_TIMEOUT = 10
SILENCE = 60
"""Seconds after which a server that says nothing counts as gone."""
STANDSTILL = 5
"""Seconds after which a server ends a transaction that does nothing: its process stands still, and others wait for what
it has locked. An engine has lost its leases by then."""


class NotConnected(Exception):
    """A URL that names no database of a kind that is known, or one whose driver is not installed."""


def connect(url: str, cipher: Cipher | None = None, *, seal_all: bool = False, waits: bool = False) -> Engine:
    """An engine for a database URL. With a cipher, stacks that have secrets are encrypted in it, all stacks with
    `seal_all`; without one nothing is, and what is encrypted cannot be read. With `waits`, whoever wants a
    connection while the database is away waits for it; otherwise that is an error. Raises
    NotConnected."""
    if cipher is None:
        return _connect(url, waits)
    # Errors of the database would tell what was to be written.
    engine = _connect(url, waits, hide_parameters=True)
    sealing.attach(engine, Seal(cipher, seal_all))
    return engine


def _connect(url: str, waits: bool, **options: Any) -> Engine:
    try:
        address = make_url(url)
    except sqlalchemy.exc.ArgumentError:
        raise NotConnected(
            "the database is named by a URL such as postgresql://user:password@host/calor"
        ) from None
    kind = address.get_backend_name()
    if kind == "sqlite":
        return _connect_sqlite(address, **options)
    if kind == "postgresql":
        make, extra = _connect_postgresql, "postgresql"
    elif kind in ("mysql", "mariadb"):
        make, extra = _connect_mariadb, "mariadb"
    else:
        raise NotConnected(f"{kind} is none of the databases that Calor knows: SQLite, PostgreSQL, MariaDB")
    try:
        engine = make(address, pool_pre_ping=True, pool_recycle=1800, **options)
    except ModuleNotFoundError as error:
        raise NotConnected(f"{error.name} is missing; pip install 'calor[{extra}]' installs it") from None
    if waits:
        event.listen(engine, "do_connect", _wait)
    return engine


def _connect_sqlite(url: URL, **options: Any) -> Engine:
    """SQLite runs in WAL mode, and its transactions take the write lock at once: two writers then wait for each
    other instead of failing halfway."""
    engine = sqlalchemy.create_engine(
        url,
        **options,
        connect_args={"timeout": BUSY_TIMEOUT, "check_same_thread": False},
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=8,
        # Each connection keeps pages in memory: the fewer are in use, the better.
        pool_use_lifo=True,
    )
    if file := _file_of(url):
        event.listen(engine, "do_connect", lambda *_: _make_private(file))
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _file_of(url: URL) -> str | None:
    """None for a database in memory, and for one that is named in SQLite's own way."""
    name = url.database
    return None if not name or name == ":memory:" or name.startswith("file:") else name


def _make_private(file: str) -> None:
    """A new database is for its owner only, and so are the files that SQLite makes beside it. What is wrong with the
    place is told by SQLite."""
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _connect_postgresql(url: URL, **options: Any) -> Engine:
    arguments = {
        "connect_timeout": CONNECT_TIMEOUT,
        "keepalives_idle": SILENCE // 2,
        "tcp_user_timeout": SILENCE * 1000,
    }
    engine = sqlalchemy.create_engine(
        url.set(drivername="postgresql+psycopg"), connect_args=arguments, **options
    )
    event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _connect_mariadb(url: URL, **options: Any) -> Engine:
    # The character set that an old configuration asks for does not have all characters.
    url = url.set(drivername="mariadb+pymysql").update_query_dict({"charset": "utf8mb4"})
    arguments = {
        "connect_timeout": CONNECT_TIMEOUT,
        "read_timeout": SILENCE,
        "write_timeout": SILENCE,
        # Its clock counts from local time, of which an hour comes twice a year.
        "init_command": f"SET SESSION idle_transaction_timeout = {STANDSTILL}, time_zone = '+00:00'",
    }
    engine = sqlalchemy.create_engine(url, connect_args=arguments, **options)
    event.listen(engine, "begin", _begin_mariadb)
    return engine


def _wait(dialect: Dialect, record: ConnectionPoolEntry, args: Any, arguments: Any) -> Any:
    for pause in pauses():
        try:
            return dialect.connect(*args, **arguments)
        except Exception as error:
            if not is_passing(error):
                raise
            if pause >= LONGEST_PAUSE:
                log.warning("waiting for the database: %s", str(error).partition("\n")[0])
            time.sleep(pause)
    return None


def _prepare_sqlite(connection: Any, record: Any) -> None:
    # The driver must not begin transactions by itself; `_begin_sqlite` does.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "cache_size=-2000",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sqlalchemy.Connection) -> None:
    connection.exec_driver_sql("BEGIN" if _only_reads(connection) else "BEGIN IMMEDIATE")


def _prepare_postgresql(connection: Any, record: Any) -> None:
    from psycopg.types.string import StrDumper

    class Text(StrDumper):
        """PostgreSQL has no NUL in its texts: the character that stands for it is kept instead."""

        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "␀") if "\0" in obj else obj)

    connection.adapters.register_dumper(str, Text)
    connection.execute(f"SET idle_in_transaction_session_timeout = '{STANDSTILL}s'")
    connection.commit()


def _begin_mariadb(connection: sqlalchemy.Connection) -> None:
    # Its own way is for those who read: all they see is of one moment. Who writes would lock the gaps between rows.
    if not _only_reads(connection):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")


def _only_reads(connection: sqlalchemy.Connection) -> bool:
    return bool(connection.get_execution_options().get("reading", False))


def reading(engine: Engine) -> Engine:
    """The engine for transactions that only read: they see one moment, and never wait for a writer."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return engine.execution_options(reading=True)


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
