"""Encrypts values when they are written to the database, and decrypts them when they are read.

Values to encrypt are marked as `Sealed`; reading is transparent. A database has a seal if it was connected with a
cipher; without one nothing is encrypted. Plain values cost a comparison of their first characters.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import JSON, Connection, Dialect, Engine, Table, Text, TypeDecorator
from sqlalchemy.types import TypeEngine

from calor.store.cipher import Cipher

KEY = "~sealed"
"""The only key of an encrypted document, and the prefix of an encrypted text."""
_DOCUMENT = f'{{"{KEY}": '
_TEXT = f"{KEY}:"

Values = dict[str, Any]
"""Values of a row's columns by their names."""

WITH_STACK = {"sealed": "with its stack"}
"""For columns that are encrypted if their stack is."""
ALWAYS = {"sealed": "always"}
"""For columns that are always encrypted."""

SAYS_NOTHING = "state changed"
"""The most common reason of states, which is not encrypted."""


@dataclass(frozen=True, slots=True, repr=False)
class Sealed:
    """A value to be encrypted when it is written."""

    value: Any


class Seal:
    """Encrypts and decrypts the values of one database; all of them with `everything`."""

    def __init__(self, cipher: Cipher, everything: bool = False) -> None:
        self.cipher = cipher
        self.everything = everything
        self.digest_key = b""
        """Stored encrypted in the database, as digests must not change with the cipher's keys. `database.seal_of` loads
        it."""

    def dumps(self, value: object) -> str:
        """A document as JSON. A plain one that looks encrypted is encrypted, so that it can be read back."""
        if type(value) is not Sealed:
            if value == {}:
                return "{}"
            text = json.dumps(value)
            if not text.startswith(_DOCUMENT):
                return text
            value = Sealed(value)
        return json.dumps({KEY: self.cipher.encrypt(value.value).decode()})

    def loads(self, text: str) -> Any:
        """Raises WrongKey."""
        # The most common values, without parsing.
        if text == "[]":
            return []
        if text == "{}":
            return {}
        value = json.loads(text)
        return self.cipher.decrypt(value[KEY].encode()) if text.startswith(_DOCUMENT) else value

    def write_text(self, value: Any) -> Any:
        if type(value) is Sealed:
            return _TEXT + self.cipher.seal(value.value.encode()).decode()
        if value is not None and value.startswith(_TEXT):
            return self.write_text(Sealed(value))
        return value

    def read_text(self, text: str | None) -> str | None:
        """Raises WrongKey."""
        if text is None or not text.startswith(_TEXT):
            return text
        return self.cipher.open(text.removeprefix(_TEXT)).decode()

    def digest(self, data: bytes) -> str:
        """A keyed digest, which does not allow guessing the data."""
        return hmac.digest(self.digest_key, data, "sha256").hex()


class SealableText(TypeDecorator[str]):
    """Text that may be sealed."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return _long_text(dialect)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        seal = attached(dialect)
        return seal.write_text if seal is not None else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], str | None] | None:
        seal = attached(dialect)
        return seal.read_text if seal is not None else None


class SealableDocument(TypeDecorator[Any]):
    """A document that may be sealed, as ASCII JSON text. Text columns also store what JSON columns reject: NaN, an
    escaped NUL, a lone surrogate."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return JSON() if dialect.name == "sqlite" else _long_text(dialect)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        seal = attached(dialect)
        dumps = seal.dumps if seal is not None else json.dumps

        def write(value: object) -> str | None:
            return None if value is None else dumps(value)

        return write

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        seal = attached(dialect)
        loads = seal.loads if seal is not None else json.loads

        def read(text: str | None) -> Any:
            return None if text is None else loads(text)

        return read


def _long_text(dialect: Dialect) -> TypeEngine[Any]:
    if dialect.name != "mariadb":
        return Text()
    # Slow to import.
    from sqlalchemy.dialects import mysql

    return mysql.LONGTEXT()


_seals: WeakKeyDictionary[Dialect, Seal] = WeakKeyDictionary()


def attach(engine: Engine, seal: Seal) -> None:
    _seals[engine.dialect] = seal


def attached(dialect: Dialect) -> Seal | None:
    """The seal of a database, if it has one."""
    return _seals.get(dialect)


@lru_cache
def columns(table: Table) -> tuple[frozenset[str], frozenset[str]]:
    """The columns of a table whose values are always sealed, and those sealed in a sealed stack."""
    marked = {column.name: column.info.get("sealed") for column in table.c}
    always = frozenset(name for name, mark in marked.items() if mark == ALWAYS["sealed"])
    return always, frozenset(name for name, mark in marked.items() if mark)


def protect(connection: Connection, table: Table, rows: list[Values], sealed: bool) -> list[Values]:
    """Rows with the values to encrypt marked. `sealed` is whether they belong to a sealed stack."""
    seal = attached(connection.dialect)
    if seal is None:
        return rows
    names = columns(table)[sealed or seal.everything]
    return [_protected(row, names) for row in rows] if names else rows


def _protected(row: Values, names: Iterable[str]) -> Values:
    protected = dict(row)
    for name in names:
        value = row.get(name)
        if value and value != SAYS_NOTHING:
            protected[name] = Sealed(value)
    return protected
