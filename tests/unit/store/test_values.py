"""Values are read as they were written, on every database."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, select

from calor.store import database, schema, tables
from calor.store.writer import Changes, apply

ROW: dict[str, Any] = {
    "id": "1",
    "stack": "s",
    "name": "r",
    "type": "T",
    "action": "CREATE",
    "status": "COMPLETE",
    "created_at": 1234567890.123456,
    "requires": [],
}
table = tables.resource


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = database.connect(database_url)
    schema.upgrade(made)
    yield made
    made.dispose()


def kept(engine: Engine, **values: Any) -> Any:
    changes = Changes()
    changes.insert(table, **{**ROW, **values})
    with engine.begin() as connection:
        apply(connection, changes)
    with database.reading(engine).connect() as connection:
        return connection.execute(select(table)).one()


@pytest.mark.parametrize(
    "document",
    [
        {"nul": "a\0b", "\0": 1},
        {"half a pair": "\ud800", "other half": "\udfff"},
        {"beyond": "\U0001f600", "quotes": "'\"\\%s%(x)s:x"},
        {"large": 2**70, "small": 5e-324, "infinite": math.inf},
        ["", {}, [], None, True, 0.1],
        {"deep": [[[[[["x" * 100_000]]]]]]},
    ],
)
def test_documents_of_any_kind(engine: Engine, document: Any) -> None:
    assert kept(engine, properties=document).properties == document


def test_an_empty_document_differs_from_none(engine: Engine) -> None:
    row = kept(engine, properties=None, metadata={})

    assert (row.properties, row.metadata) == (None, {})


@pytest.mark.parametrize(
    "text", ["\U0001f600", "e\u0301", "x" * 100_000, "'; DROP TABLE stack; --", "%s", "\\"]
)
def test_texts_of_any_kind(engine: Engine, text: str) -> None:
    row = kept(engine, reason=text, physical_id=text, type=text)

    assert (row.reason, row.physical_id, row.type) == (text, text, text)


def test_a_nul_in_a_text_breaks_nothing(engine: Engine) -> None:
    shown = "␀" if engine.dialect.name == "postgresql" else "\0"

    assert kept(engine, reason="a\0b").reason == f"a{shown}b"
    with database.reading(engine).connect() as connection:
        assert len(connection.execute(select(table).where(table.c.reason == "a\0b")).all()) == 1


def test_times_keep_their_fractions(engine: Engine) -> None:
    assert kept(engine).created_at == pytest.approx(1234567890.123456, abs=1e-6)


@pytest.mark.parametrize("other", ["R", "r ", "ŕ", "r\u0301"])
def test_names_differ_by_every_character(engine: Engine, other: str) -> None:
    kept(engine)

    with database.reading(engine).connect() as connection:
        assert connection.execute(select(table).where(table.c.name == other)).all() == []
