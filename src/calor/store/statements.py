"""Write statements, which encrypt values as their column and stack require."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, Table, bindparam

from calor.store import sealing
from calor.store.sealing import Values

MAX_IDS = 500
"""How many rows one statement deletes at most."""
ROW_ID = "_id"
"""Names the row in the values of `update_each`."""


def insert(connection: Connection, table: Table, rows: list[Values], *, sealed: bool) -> None:
    """Adds rows. `sealed` is whether they belong to a sealed stack."""
    connection.execute(table.insert(), sealing.protect(connection, table, rows, sealed))


def update(
    connection: Connection, table: Table, values: Values, *conditions: ColumnElement[bool], sealed: bool
) -> int:
    """Changes the rows that meet all conditions. Returns how many there were."""
    [row] = sealing.protect(connection, table, [values], sealed)
    return connection.execute(table.update().where(*conditions).values(row)).rowcount


def update_each(connection: Connection, table: Table, rows: list[Values], *, sealed: bool) -> None:
    """Changes several rows, each by the id in `ROW_ID`. All of them set the same columns."""
    rows = sealing.protect(connection, table, rows, sealed)
    values: Mapping[str, object] = {name: bindparam(name) for name in rows[0] if name != ROW_ID}
    connection.execute(table.update().where(table.c.id == bindparam(ROW_ID)).values(values), rows)


def delete(connection: Connection, table: Table, ids: list[str]) -> None:
    """Deletes rows by their ids."""
    for start in range(0, len(ids), MAX_IDS):
        connection.execute(table.delete().where(table.c.id.in_(ids[start : start + MAX_IDS])))
