"""Purging removes what is too old, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine, Table, insert, select, update

from calor.stacks import definitions
from calor.store import contents, database, schema, tables
from calor.store.purging import Cleaner, Retention

NOW = 1_000_000.0
TEMPLATE = {"heat_template_version": "2018-08-31"}


class Store:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def add(self, table: Table, **row: Any) -> None:
        with self.engine.begin() as connection:
            connection.execute(insert(table).values(row))

    def stack(self, template: Any = TEMPLATE, **values: Any) -> str:
        id = str(uuid4())
        digest, bodies = definitions.encode({"template": template, "files": {"a": f"file of {template}"}})
        row: dict[str, Any] = {
            "id": id,
            "name": id,
            "project": "p",
            "root": id,
            "action": "CREATE",
            "status": "COMPLETE",
            "created_at": 0.0,
            "definition": digest,
            "tags": [],
            "run_id": id,
            "run": {},
        }
        self.add(tables.stack, **{**row, **values})
        with self.engine.begin() as connection:
            contents.put(connection, bodies)
        return id

    def events(self, stack: str, *times: float) -> None:
        for at in times:
            self.add(
                tables.event,
                id=str(uuid4()),
                stack=stack,
                root=stack,
                resource="r",
                type="t",
                action="CREATE",
                status="COMPLETE",
                at=at,
            )

    def column(self, column: Any) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(select(column)).scalars())

    def clean(self, **keeping: Any) -> None:
        Cleaner(self.engine, Retention(**keeping), lambda: NOW).clean()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    engine = database.connect(f"sqlite:///{tmp_path}/calor.db")
    schema.upgrade(engine)
    yield Store(engine)
    engine.dispose()


class TestEvents:
    def test_old_ones_go(self, store: Store) -> None:
        stack = store.stack()
        store.events(stack, NOW - 30, NOW - 20, NOW - 10, NOW - 5)

        store.clean(event_age=15, batch=1)

        assert store.column(tables.event.c.at) == [NOW - 10, NOW - 5]

    def test_all_are_kept_if_age_does_not_matter(self, store: Store) -> None:
        store.events(store.stack(), 1, 2)

        store.clean()

        assert len(store.column(tables.event.c.seq)) == 2

    def test_beyond_a_number_the_oldest_of_a_stack_go(self, store: Store) -> None:
        full, other = store.stack(), store.stack({**TEMPLATE, "description": "other"})
        store.events(full, 1, 2, 3, 4, 5)
        store.events(other, 1, 2)

        store.clean(events_per_stack=2, batch=2)

        assert store.column(tables.event.c.at) == [4, 5, 1, 2]

    def test_no_transaction_is_larger_than_a_batch(self, store: Store) -> None:
        store.events(store.stack(), *range(10))
        steps = list(Cleaner(store.engine, Retention(event_age=1, batch=3), lambda: NOW).steps())

        assert steps == [3, 3, 3, 1]


class TestDeletedStacks:
    def test_an_old_stack_is_purged_with_all_its_rows(self, store: Store) -> None:
        dead = store.stack(deleted_at=NOW - 20, credentials="c")
        store.events(dead, NOW - 21, NOW - 20)
        store.add(tables.tag, stack=dead, tag="t")
        store.add(tables.credentials, id="c", project="p", secret=b"s")
        store.add(tables.resource, **resource(dead))
        store.add(tables.snapshot, **snapshot(dead, {}))

        store.clean(deleted_stack_age=15, batch=1)

        for table in tables.metadata.sorted_tables:
            assert store.column(table.primary_key.columns[0]) == [], table.name

    def test_a_nested_stack_is_purged_without_the_credentials_of_its_tree(self, store: Store) -> None:
        root = store.stack(credentials="c")
        store.stack(deleted_at=NOW - 20, credentials="c", parent=root)
        store.add(tables.credentials, id="c", project="p", secret=b"s")

        store.clean(deleted_stack_age=15)

        assert store.column(tables.stack.c.id) == [root]
        assert store.column(tables.credentials.c.id) == ["c"]

    def test_one_that_was_deleted_lately_stays(self, store: Store) -> None:
        lately, alive = store.stack(deleted_at=NOW - 5), store.stack()
        store.events(lately, NOW - 6)
        store.add(tables.resource, **resource(alive))

        store.clean(deleted_stack_age=15)

        assert set(store.column(tables.stack.c.id)) == {lately, alive}
        assert store.column(tables.event.c.stack) == [lately]
        assert store.column(tables.resource.c.stack) == [alive]


class TestDocuments:
    def test_those_that_nothing_refers_to_go(self, store: Store) -> None:
        store.stack({**TEMPLATE, "description": "dead"}, deleted_at=NOW - 20)
        store.stack()
        kept = definitions.encode({"template": TEMPLATE, "files": {"a": f"file of {TEMPLATE}"}})[1]

        store.clean(deleted_stack_age=15, batch=1)

        assert set(store.column(tables.content.c.digest)) == set(kept)

    def test_what_a_rollback_or_a_snapshot_needs_stays(self, store: Store) -> None:
        stack = store.stack()
        before, bodies = definitions.encode({"template": {**TEMPLATE, "description": "before"}})
        saved, more = definitions.encode({"template": {**TEMPLATE, "description": "saved"}})
        with store.engine.begin() as connection:
            contents.put(connection, {**bodies, **more})
            connection.execute(update(tables.stack).values(previous=before))
        store.add(tables.snapshot, **snapshot(stack, {"_definition": saved}))
        present = set(store.column(tables.content.c.digest))

        store.clean()

        assert set(store.column(tables.content.c.digest)) == present

    def test_what_is_used_again_at_the_last_moment_stays(self, store: Store) -> None:
        template = {**TEMPLATE, "description": "given up"}
        store.stack(template, deleted_at=NOW - 20)
        steps = Cleaner(store.engine, Retention(deleted_stack_age=15, batch=1), lambda: NOW).steps()
        next(steps)
        next(steps)
        assert len(store.column(tables.content.c.digest)) == 2

        store.stack(template)
        for _ in steps:
            pass

        assert len(store.column(tables.stack.c.id)) == 1
        assert len(store.column(tables.content.c.digest)) == 3


def test_it_purges_periodically_until_stopped(store: Store) -> None:
    async def run() -> None:
        cleaning = asyncio.ensure_future(
            Cleaner(store.engine, Retention(event_age=1, batch=1), lambda: NOW, pause=0).run(0.01)
        )
        stack = store.stack()
        for _ in range(2):
            store.events(stack, 1, 2, 3)
            async with asyncio.timeout(20):
                while store.column(tables.event.c.seq):
                    await asyncio.sleep(0.01)
        cleaning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cleaning

    asyncio.run(run())


def resource(stack: str) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "stack": stack,
        "name": "r",
        "type": "t",
        "action": "CREATE",
        "status": "COMPLETE",
        "created_at": 0.0,
        "requires": [],
    }


def snapshot(stack: str, data: Any) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "stack": stack,
        "project": "p",
        "action": "CREATE",
        "status": "COMPLETE",
        "created_at": 0.0,
        "data": data,
    }
