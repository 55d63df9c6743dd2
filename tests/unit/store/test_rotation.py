"""Rotating the encryption key of a database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select

from calor.store import contents, database, schema, tables
from calor.store.cipher import Cipher, WrongKey
from calor.store.rotation import BATCH, rotate
from calor.store.writer import Changes, apply

OLD, NEW = Cipher.new_key(), Cipher.new_key()
RESOURCE: dict[str, Any] = {
    "stack": "s",
    "name": "r",
    "type": "T",
    "action": "CREATE",
    "status": "COMPLETE",
    "reason": "a long story",
    "created_at": 0.0,
    "properties": {"password": "hunter2"},
    "metadata": {},
    "attributes": {},
    "data": {},
    "requires": [],
}
COUNT = 2 * BATCH + 1


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/calor.db"


@pytest.fixture
def digest(url: str) -> str:
    """Of a document in a database that is full of secrets."""
    engine = database.connect(url, Cipher(OLD))
    schema.upgrade(engine)
    seal = database.seal_of(engine)
    user = {"_user": Cipher(OLD).encrypt({"password": "p"}).decode()}
    with engine.begin() as connection:
        for sealed in (True, False):
            changes = Changes(sealed=sealed)
            for number in range(COUNT):
                changes.insert(tables.resource, **RESOURCE | {"id": f"{sealed}-{number:04}", "data": user})
            apply(connection, changes)
        secret = Cipher(OLD).encrypt({"trust_id": "t"})
        connection.execute(tables.credentials.insert(), [{"id": "c", "project": "p", "secret": secret}])
        digest, body = contents.encode({"a": 1}, seal)
        contents.put(connection, {digest: body, **dict([contents.encode("plain")])})
    engine.dispose()
    return digest


@pytest.fixture
def bare(url: str, digest: str) -> Iterator[Engine]:
    engine = database.connect(url)
    yield engine
    engine.dispose()


@pytest.fixture
def rotated(bare: Engine, url: str) -> Iterator[Engine]:
    """The database as somebody with only the new key sees it."""
    rotate(bare, [OLD], NEW)
    engine = database.connect(url, Cipher(NEW))
    yield engine
    engine.dispose()


def test_all_is_read_with_the_new_key_alone(rotated: Engine, digest: str) -> None:
    with rotated.connect() as connection:
        rows = connection.execute(select(tables.resource)).all()
        secret = connection.execute(select(tables.credentials.c.secret)).scalar_one()
        document = contents.get(connection, [digest])[digest]

    assert len(rows) == 2 * COUNT
    assert {(row.properties["password"], row.reason) for row in rows} == {("hunter2", "a long story")}
    users = [Cipher(NEW).decrypt(row.data["_user"].encode()) for row in rows]
    assert users == [{"password": "p"}] * len(rows)
    assert Cipher(NEW).decrypt(secret) == {"trust_id": "t"}
    assert document == {"a": 1}


def test_digests_stay_as_they_are(rotated: Engine, digest: str) -> None:
    assert contents.encode({"a": 1}, database.seal_of(rotated))[0] == digest


def test_the_old_key_is_good_for_nothing_then(rotated: Engine, url: str) -> None:
    engine = database.connect(url, Cipher(OLD))

    with engine.connect() as connection, pytest.raises(WrongKey):
        connection.execute(select(tables.resource)).all()
    with pytest.raises(WrongKey):
        database.seal_of(engine)
    engine.dispose()


def test_what_is_done_is_not_done_again(bare: Engine) -> None:
    assert rotate(bare, [OLD], NEW) == 2 * COUNT + 3
    assert rotate(bare, [OLD], NEW) == 0
