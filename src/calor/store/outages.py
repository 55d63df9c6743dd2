"""Which errors of a database pass by themselves, and how to wait for that."""

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
"""Beginnings of states: the connection failed, the transaction lost against another, something is used up, a lock
was not had, the server stops or starts."""
_MARIADB = frozenset({0, 1040, 1047, 1053, 1158, 1159, 1160, 1161, 1184, 1203, 1205, 1213, 1226, 1927})
"""The same in MariaDB's numbers; those of its client are from 2000 on, and 0 is a closed connection."""


def is_passing(error: BaseException) -> bool:
    """Whether the same may succeed a little later: the database was away or busy, or let somebody else go first."""
    if isinstance(error, NoConnectionFree):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and is_passing(error.orig))
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


def insist(work: Callable[[], Answer]) -> Answer:
    """Does something again until the database lets it; what it raises for other reasons is raised."""
    tries = pauses()
    while True:
        try:
            return work()
        except Exception as error:
            if not is_passing(error):
                raise
        time.sleep(next(tries))


def pauses() -> Iterator[float]:
    """Seconds to wait between one try and the next, for ever."""
    pause = 0.02
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE)
