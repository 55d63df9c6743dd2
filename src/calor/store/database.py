"""Connections to SQLite, PostgreSQL and MariaDB."""

from __future__ import annotations

import contextlib
import logging
import secrets
import time
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Dialect, Engine, event, make_url, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import ConnectionPoolEntry

from calor.store import sealing, sqlite
from calor.store.cipher import Cipher
from calor.store.outages import LONGEST_PAUSE, is_transient, pauses
from calor.store.sealing import Seal
from calor.store.tables import digest_key

log = logging.getLogger(__name__)

Database = Engine
"""A connected database. Outside of the store and `service.queries`, code only passes it to their functions."""
Connection = sqlalchemy.Connection

CONNECT_TIMEOUT = 10
SILENCE = 60
"""Seconds without a response after which a database server counts as unreachable."""
STANDSTILL = 5
"""Seconds after which the database aborts an idle transaction, whose process is suspended while others wait for its
locks. An engine has lost its leases by then."""


class NotConnected(Exception):
    """The URL is invalid or of an unsupported database, or the driver is not installed."""


def connect(url: str, cipher: Cipher | None = None, *, seal_all: bool = False, waits: bool = False) -> Engine:
    """An engine for a database URL. With a cipher, stacks with secrets are encrypted, or all stacks with `seal_all`;
    without one, encrypted stacks cannot be read. With `waits`, connecting waits while the database is unavailable
    instead of raising. Raises NotConnected."""
    if cipher is None:
        return _connect(url, waits)
    # Error messages of the database would contain the values of statements.
    engine = _connect(url, waits, hide_parameters=True)
    seal = Seal(cipher, seal_all)
    for one in (engine, reading(engine)):
        sealing.attach(one, seal)
    return engine


def _connect(url: str, waits: bool, **options: Any) -> Engine:
    try:
        address = make_url(url)
    except sqlalchemy.exc.ArgumentError:
        raise NotConnected(
            "the database URL is invalid; use one such as postgresql://user:password@host/calor"
        ) from None
    kind = address.get_backend_name()
    if kind == "sqlite":
        return sqlite.connect(address, **options)
    if kind == "postgresql":
        make, extra = _connect_postgresql, "postgresql"
    elif kind in ("mysql", "mariadb"):
        make, extra = _connect_mariadb, "mariadb"
    else:
        raise NotConnected(f"{kind} is not supported; use SQLite, PostgreSQL or MariaDB")
    try:
        engine = make(address, pool_pre_ping=True, pool_recycle=1800, **options)
    except ModuleNotFoundError as error:
        raise NotConnected(f"{error.name} is not installed: run pip install 'calor[{extra}]'") from None
    if waits:
        event.listen(engine, "do_connect", _wait)
    return engine


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
    # Always utf8mb4: charset=utf8 from old configurations does not cover all characters.
    url = url.set(drivername="mariadb+pymysql").update_query_dict({"charset": "utf8mb4"})
    arguments = {
        "connect_timeout": CONNECT_TIMEOUT,
        "read_timeout": SILENCE,
        "write_timeout": SILENCE,
        # UTC, as local time repeats an hour once a year.
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
            if not is_transient(error):
                raise
            if pause >= LONGEST_PAUSE:
                log.warning("waiting for the database: %s", str(error).partition("\n")[0])
            time.sleep(pause)
    return None


def _prepare_postgresql(connection: Any, record: object) -> None:
    from psycopg.types.string import StrDumper

    class Text(StrDumper):
        """Replaces NUL, which PostgreSQL cannot store, with the symbol for NUL."""

        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "␀") if "\0" in obj else obj)

    connection.adapters.register_dumper(str, Text)
    connection.execute(f"SET idle_in_transaction_session_timeout = '{STANDSTILL}s'")
    connection.commit()


def _begin_mariadb(connection: sqlalchemy.Connection) -> None:
    # Only writers: readers need a snapshot, the default, with which writers would lock gaps between rows.
    if not connection.get_execution_options().get("reading", False):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")


def reading(engine: Engine) -> Engine:
    """An engine for read-only transactions: they see a snapshot and never wait for writers."""
    if isinstance(engine.dialect, sqlite.Writing):
        return engine.dialect.readers
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return engine.execution_options(reading=True)


def seal_of(engine: Engine) -> Seal | None:
    """The seal of a database, with its digest key. Raises WrongKey if the cipher has another key than the database."""
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
        # Another process may insert it first.
        with contextlib.suppress(IntegrityError), engine.begin() as connection:
            row = {"id": 1, "secret": cipher.seal(secrets.token_bytes(32))}
            connection.execute(digest_key.insert(), [row])
        known = stored()
    return known
