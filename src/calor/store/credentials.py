"""Encrypted credentials with which the engine acts for stacks' owners. Callers encrypt them."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, bindparam, select

from calor.store import tables
from calor.store.database import reading
from calor.store.writer import Changes

_table = tables.credentials
_SECRET = select(_table.c.secret).where(_table.c.id == bindparam("wanted"))


def add(changes: Changes, id: str, project: str, secret: bytes) -> None:
    changes.insert(_table, id=id, project=project, secret=secret)


def replace(changes: Changes, id: str, secret: bytes) -> None:
    changes.update(_table, id, secret=secret)


def get(connection: Connection, id: str) -> bytes | None:
    secret = connection.execute(_SECRET, {"wanted": id}).scalar()
    return None if secret is None else bytes(secret)


def secret_of(database: Engine, id: str | None) -> bytes | None:
    """The encrypted secret with an id, or None."""
    if id is None:
        return None
    with reading(database).connect() as connection:
        return get(connection, id)
