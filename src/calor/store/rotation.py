"""Rotates the encryption key of a database."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Engine, LargeBinary, Table, Text, bindparam, cast, or_, select

from calor.store import sealing
from calor.store.cipher import Cipher, WrongKey
from calor.store.tables import content, credentials, digest_key, metadata

BATCH = 200

_TOKEN = re.compile(rb"gAAAA[\w-]{60,}={0,2}")


def rotate(database: Engine, old: Sequence[bytes], new: bytes) -> int:
    """Re-encrypts with the new key everything that old keys can decrypt; returns the number of changed rows. It can be
    interrupted and repeated. The database must be connected without a cipher.

    Servers that run meanwhile need both keys, the new one first.
    """
    assert sealing.attached(database.dialect) is None
    tokens = _Tokens(Cipher(*old), Cipher(new))
    return sum(
        _rotate_table(database, table, [table.c[name] for name in sorted(names)], tokens)
        for table in metadata.sorted_tables
        if (names := _encrypted(table))
    )


def _encrypted(table: Table) -> set[str]:
    if table in (credentials, digest_key):
        return {"secret"}
    if table is content:
        return {"body"}
    return set(sealing.columns(table)[1])


def _rotate_table(database: Engine, table: Table, columns: list[Column[Any]], tokens: _Tokens) -> int:
    [key] = table.primary_key.columns
    query = select(key, *columns).order_by(key).limit(BATCH)
    if not isinstance(columns[0].type, LargeBinary):
        query = query.where(or_(*(cast(column, Text).like("%gAAAA%") for column in columns)))
    values: dict[str, Any] = {column.name: bindparam(column.name) for column in columns}
    change = table.update().where(key == bindparam("_key")).values(values)
    changed = 0
    last: Any = None
    while True:
        with database.begin() as connection:
            page = query if last is None else query.where(key > last)
            rows = connection.execute(page.with_for_update()).all()
            after = [(row, (row[0], *map(tokens.reencrypt, row[1:]))) for row in rows]
            different = [
                dict(zip(("_key", *values), new, strict=True)) for row, new in after if new != tuple(row)
            ]
            if different:
                connection.execute(change, different)
        changed += len(different)
        if len(rows) < BATCH:
            return changed
        last = rows[-1][0]


class _Tokens:
    """Re-encrypts tokens of old keys anywhere in values."""

    def __init__(self, old: Cipher, new: Cipher) -> None:
        self._old = old
        self._new = new

    def reencrypt(self, value: Any) -> Any:
        """A stored value with all tokens re-encrypted."""
        if value is None:
            return None
        if isinstance(value, bytes | memoryview):
            return self._replace(bytes(value))
        if isinstance(value, str):
            return self._replace(value.encode()).decode()
        return json.loads(self._replace(json.dumps(value).encode()))

    def _replace(self, data: bytes) -> bytes:
        return _TOKEN.sub(self._again, data)

    def _again(self, found: re.Match[bytes]) -> bytes:
        try:
            # Encrypted data may contain encrypted values, such as the user of a resource.
            return self._new.seal(self._replace(self._old.open(found[0])))
        except WrongKey:
            # Re-encrypted already, or a user's own token.
            return found[0]
