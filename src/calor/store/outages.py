"""Transient database errors, and retries."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

Answer = TypeVar("Answer")

LONGEST_PAUSE = 1.0

_POSTGRESQL = ("08", "40001", "40P01", "53", "55P03", "57P")
"""Prefixes of SQLSTATEs: connection failure, serialization failure, deadlock, insufficient resources, lock not
available, operator intervention."""
_MARIADB = frozenset({0, 1040, 1047, 1053, 1158, 1159, 1160, 1161, 1184, 1203, 1205, 1213, 1226, 1927})
"""The same as error numbers of MariaDB; client errors start at 2000, and 0 is a closed connection."""


def is_transient(error: BaseException) -> bool:
    """Whether a retry may succeed: the database was unavailable or busy, or the transaction lost a conflict."""
    if isinstance(error, NoConnectionFree):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and is_transient(error.orig))
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    # The other drivers may not be installed.
    driver, kind = type(error).__module__.partition(".")[0], _kinds(error)
    if driver == "psycopg":
        state: str | None = getattr(error, "sqlstate", None)
        return "OperationalError" in kind and (state is None or state.startswith(_POSTGRESQL))
    if driver == "pymysql":
        number = error.args[0] if error.args else 0
        return bool({"OperationalError", "InterfaceError", "InternalError"} & kind) and (
            number in _MARIADB or 2000 <= number < 3000
        )
    return False


def _kinds(error: BaseException) -> set[str]:
    return {one.__name__ for one in type(error).__mro__}


def retry_until_available(work: Callable[[], Answer]) -> Answer:
    """Retries `work` while it raises transient database errors."""
    tries = pauses()
    while True:
        try:
            return work()
        except Exception as error:
            if not is_transient(error):
                raise
        time.sleep(next(tries))


def pauses() -> Iterator[float]:
    """The seconds to wait between retries, endlessly."""
    pause = 0.02
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE)
