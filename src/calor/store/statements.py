"""Write statements, which encrypt values as their column and stack require.

Statements with equal columns are built once: building one takes longer than executing it.
"""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import ColumnElement, Connection, Delete, Insert, Table, Update, bindparam

from calor.store import sealing
from calor.store.sealing import Values

MAX_IDS = 500
"""How many rows one statement deletes at most."""
_KEY = "_"
"""The prefix of parameters that select rows."""
ROW_ID = f"{_KEY}id"
"""Names the row in the values of `update_each`."""


def insert(connection: Connection, table: Table, rows: list[Values], *, sealed: bool) -> None:
    """Adds rows. `sealed` is whether they belong to a sealed stack."""
    connection.execute(_insert(table), sealing.protect(connection, table, rows, sealed))


def update(connection: Connection, table: Table, values: Values, *, sealed: bool, **key: str) -> int:
    """Changes the rows with these values in the columns of `key`. Returns how many there were."""
    [row] = sealing.protect(connection, table, [values], sealed)
    selected = {f"{_KEY}{name}": value for name, value in key.items()}
    return connection.execute(_update(table, tuple(key), tuple(row)), {**row, **selected}).rowcount


def update_where(
    connection: Connection, table: Table, values: Values, *conditions: ColumnElement[bool], sealed: bool
) -> None:
    """Changes the rows that meet all conditions."""
    [row] = sealing.protect(connection, table, [values], sealed)
    connection.execute(table.update().where(*conditions).values(row))


def update_each(connection: Connection, table: Table, rows: list[Values], *, sealed: bool) -> None:
    """Changes several rows, each by the id in `ROW_ID`. All of them set the same columns."""
    names = tuple(name for name in rows[0] if name != ROW_ID)
    rows = sealing.protect(connection, table, rows, sealed)
    connection.execute(_update(table, ("id",), names), rows)


def delete(connection: Connection, table: Table, ids: list[str]) -> None:
    """Deletes rows by their ids."""
    for start in range(0, len(ids), MAX_IDS):
        connection.execute(_delete(table), {"ids": ids[start : start + MAX_IDS]})


@lru_cache
def _insert(table: Table) -> Insert:
    return table.insert()


@lru_cache(maxsize=512)
def _update(table: Table, key: tuple[str, ...], names: tuple[str, ...]) -> Update:
    selected = (table.c[name] == bindparam(f"{_KEY}{name}") for name in key)
    return table.update().where(*selected).values({name: bindparam(name) for name in names})


@lru_cache
def _delete(table: Table) -> Delete:
    return table.delete().where(table.c.id.in_(bindparam("ids", expanding=True)))
