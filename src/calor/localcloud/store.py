"""Collections of frozen dataclasses, kept as JSON in one SQLite file.

One process and one thread use a store at a time, so nothing is locked and nothing is cached: SQLite's own pages are
the memory, and a read costs some ten microseconds.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar

from calor.localcloud.types import Json


class Document(Protocol):
    """A frozen dataclass with an id, whose fields hold what JSON can; lists as tuples."""

    __dataclass_fields__: ClassVar[Json]

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=Document)

_AT_ONCE = 500
"""Values in one statement: SQLite takes a limited number of parameters."""


class Duplicate(Exception):
    """Another document has the same id, or the same values in fields that are unique together."""


class Store:
    def __init__(self, path: Path) -> None:
        _make_private(path)
        # The thread that opens is not always the one that serves, but they never use it at once.
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        # With WAL, a crash of the machine may lose the last writes but never leaves half of one.
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA busy_timeout = 5000")

    def collection(
        self,
        name: str,
        kind: type[T],
        indexes: Sequence[tuple[str, ...]] = (),
        unique: Sequence[tuple[str, ...]] = (),
    ) -> Collection[T]:
        self._db.execute(
            f"CREATE TABLE IF NOT EXISTS {name} (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, body TEXT NOT NULL)"
        )
        for columns in indexes:
            expressions = ", ".join(_extract(column) for column in columns)
            self._db.execute(
                f"CREATE INDEX IF NOT EXISTS {name}_by_{'_'.join(columns)} ON {name} ({expressions})"
            )
        for columns in unique:
            # In SQLite, nulls are distinct; here, they are equal.
            expressions = ", ".join(f"coalesce({_extract(column)}, '')" for column in columns)
            self._db.execute(
                f"CREATE UNIQUE INDEX IF NOT EXISTS {name}_one_{'_'.join(columns)} ON {name} ({expressions})"
            )
        return Collection(self._db, name, kind)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. One within another belongs to the outer. Nothing may be awaited inside."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()


class Collection(Generic[T]):
    """Documents of one kind, in the order in which they were added."""

    def __init__(self, db: sqlite3.Connection, table: str, kind: type[T]) -> None:
        self._db = db
        self._table = table
        self._kind = kind
        self._fields = {field.name: None for field in fields(kind)}

    def get(self, identifier: str) -> T | None:
        row = self._db.execute(f"SELECT body FROM {self._table} WHERE id = ?", (identifier,)).fetchone()
        return None if row is None else self._decode(row[0])

    def find(self, **wanted: str | int | None) -> list[T]:
        """Those whose fields have the wanted values."""
        condition = self._condition(wanted)
        rows = self._db.execute(
            f"SELECT body FROM {self._table} WHERE {condition} ORDER BY seq", tuple(wanted.values())
        )
        return [self._decode(body) for (body,) in rows]

    def find_in(self, field: str, values: Sequence[str | int], **wanted: str | int | None) -> list[T]:
        """Those that have one of the values in a field, and the wanted ones in others."""
        found: list[T] = []
        for start in range(0, len(values), _AT_ONCE):
            part = values[start : start + _AT_ONCE]
            condition = f"{_place(field)} IN ({', '.join('?' * len(part))}) AND {self._condition(wanted)}"
            rows = self._db.execute(
                f"SELECT body FROM {self._table} WHERE {condition} ORDER BY seq", (*part, *wanted.values())
            )
            found += [self._decode(body) for (body,) in rows]
        return found

    def in_order(
        self,
        field: str,
        limit: int,
        *,
        start: str = "",
        end: str | None = None,
        descending: bool = False,
        **wanted: str | int | None,
    ) -> list[T]:
        """At most `limit` documents by the text in a field, from `start` up to but without `end`. Cheap where an
        index begins with the wanted fields and goes on with this one."""
        place = _extract(field)
        upper = f" AND {place} < ?" if end is not None else ""
        condition = f"{self._condition(wanted)} AND {place} >= ?{upper}"
        values = (*wanted.values(), start, *([end] if end is not None else []), limit)
        order = "DESC" if descending else "ASC"
        rows = self._db.execute(
            f"SELECT body FROM {self._table} WHERE {condition} ORDER BY {place} {order} LIMIT ?", values
        )
        return [self._decode(body) for (body,) in rows]

    def count(self, **wanted: str | int | None) -> int:
        condition = self._condition(wanted)
        row = self._db.execute(
            f"SELECT count(*) FROM {self._table} WHERE {condition}", tuple(wanted.values())
        ).fetchone()
        return int(row[0])

    def first(self, **wanted: str | int | None) -> T | None:
        return next(iter(self.find(**wanted)), None)

    def add(self, value: T) -> T:
        try:
            self._db.execute(
                f"INSERT INTO {self._table} (id, body) VALUES (?, ?)", (value.id, self._encode(value))
            )
        except sqlite3.IntegrityError as error:
            raise Duplicate(str(error)) from None
        return value

    def put(self, value: T) -> T:
        """Adds the document, or replaces the one with its id."""
        try:
            self._db.execute(
                f"INSERT INTO {self._table} (id, body) VALUES (?, ?)"
                " ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (value.id, self._encode(value)),
            )
        except sqlite3.IntegrityError as error:
            raise Duplicate(str(error)) from None
        return value

    def remove(self, identifier: str) -> bool:
        """Returns whether the document existed."""
        return self._db.execute(f"DELETE FROM {self._table} WHERE id = ?", (identifier,)).rowcount > 0

    def remove_where(self, **wanted: str | int | None) -> None:
        self._db.execute(f"DELETE FROM {self._table} WHERE {self._condition(wanted)}", tuple(wanted.values()))

    def remove_before(self, field: str, limit: str) -> None:
        """Removes those whose text in the field sorts before the limit."""
        self._db.execute(f"DELETE FROM {self._table} WHERE {_extract(field)} < ?", (limit,))

    def _condition(self, wanted: Json) -> str:
        return " AND ".join(f"{_place(field)} IS ?" for field in wanted) or "1"

    def _encode(self, value: T) -> str:
        return json.dumps({name: getattr(value, name) for name in self._fields}, separators=(",", ":"))

    def _decode(self, body: str) -> T:
        """Ignores unknown fields, which an older version may have stored."""
        document: Json = json.loads(body)
        known = self._fields
        return self._kind(
            **{name: tuple(v) if isinstance(v, list) else v for name, v in document.items() if name in known}
        )


def _place(field: str) -> str:
    return "id" if field == "id" else _extract(field)


def _extract(field: str) -> str:
    return f"json_extract(body, '$.{field}')"


def _make_private(path: Path) -> None:
    """The file holds secrets that must be known in clear (those of EC2 credentials): for its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
