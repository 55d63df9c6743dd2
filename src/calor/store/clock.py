"""The database's time: the only clock that all engines share."""

from __future__ import annotations

from sqlalchemy import Float
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class now(FunctionElement[float]):  # noqa: N801
    """Seconds since the epoch when a statement runs."""

    type = Float(53)
    inherit_cache = True


@compiles(now, "sqlite")
def _sqlite(element: now, compiler: object, **_: object) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now, "postgresql")
def _postgresql(element: now, compiler: object, **_: object) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"


@compiles(now, "mariadb")
def _mariadb(element: now, compiler: object, **_: object) -> str:
    return "CAST(UNIX_TIMESTAMP(SYSDATE(6)) AS DOUBLE)"
