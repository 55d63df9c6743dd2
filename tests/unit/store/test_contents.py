"""Documents by digest, plain and encrypted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select

from calor.store import contents, database, schema, tables
from calor.store.cipher import Cipher, WrongKey
from calor.store.sealing import Seal

DOCUMENT = {"parameters": {"password": "hunter2"}}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/calor.db"


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    made = database.connect(url, Cipher(Cipher.new_key()))
    schema.upgrade(made)
    yield made
    made.dispose()


def seal_of(engine: Engine) -> Seal:
    seal = database.seal_of(engine)
    assert seal is not None
    return seal


def store(engine: Engine, document: Any, seal: Seal | None) -> str:
    digest, body = contents.encode(document, seal)
    with engine.begin() as connection:
        contents.put(connection, {digest: body})
    return digest


def load(engine: Engine, digest: str) -> Any:
    with database.reading(engine).connect() as connection:
        return contents.get(connection, [digest])[digest]


@pytest.mark.parametrize("document", [DOCUMENT, "text", "", {}, [1], "t\udce9xt"])
def test_documents_are_read_as_they_were_stored(engine: Engine, document: Any) -> None:
    assert load(engine, store(engine, document, None)) == document
    assert load(engine, store(engine, document, seal_of(engine))) == document


def test_an_encrypted_document_cannot_be_read_in_the_table(engine: Engine) -> None:
    digest = store(engine, "hunter2" * 20, seal_of(engine))

    with engine.connect() as connection:
        body = connection.execute(select(tables.content.c.body)).scalar_one()

    assert contents.is_sealed(digest)
    assert body.startswith(b"gAAAA")


def test_equal_documents_are_stored_once(engine: Engine) -> None:
    seal = seal_of(engine)

    assert store(engine, DOCUMENT, seal) == store(engine, dict(DOCUMENT), seal)
    with engine.connect() as connection:
        assert len(connection.execute(select(tables.content)).all()) == 1


def test_digests_do_not_confirm_guessed_documents(engine: Engine, tmp_path: Path) -> None:
    other = database.connect(f"sqlite:///{tmp_path}/other.db", Cipher(Cipher.new_key()))
    schema.upgrade(other)

    digest, _ = contents.encode("hunter2", seal_of(engine))

    assert hashlib.sha256(b"thunter2").hexdigest()[1:] != digest[1:]
    assert contents.encode("hunter2", seal_of(other))[0] != digest
    assert not contents.is_sealed(contents.encode("hunter2")[0])
    other.dispose()


def test_digests_are_the_same_in_every_process(engine: Engine, url: str) -> None:
    key = Cipher.new_key()
    first, second = database.connect(url + "2", Cipher(key)), database.connect(url + "2", Cipher(key))
    schema.upgrade(first)

    assert contents.encode("x", seal_of(first))[0] == contents.encode("x", seal_of(second))[0]
    first.dispose()
    second.dispose()


@pytest.mark.parametrize("cipher", [None, Cipher(Cipher.new_key())])
def test_without_the_key_it_is_said_what_is_missing(engine: Engine, url: str, cipher: Cipher | None) -> None:
    digest = store(engine, DOCUMENT, seal_of(engine))
    other = database.connect(url, cipher)

    with pytest.raises(WrongKey):
        load(other, digest)
    if cipher is not None:
        with pytest.raises(WrongKey):
            database.seal_of(other)
    other.dispose()
