"""Creating and upgrading tables; other databases are not touched."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from calor.store import database, migrations, schema, tables
from calor.store.schema import FIRST, HEAD, Unusable

STACK = {
    "project": "p1",
    "action": "CREATE",
    "status": "COMPLETE",
    "reason": "",
    "created_at": 1.5,
    "definition": "d",
    "description": "",
    "disable_rollback": True,
    "depth": 0,
    "tags": "[]",
    "run_id": "r",
    "run": "{}",
}


@pytest.fixture
def empty(empty_url: str) -> Iterator[Engine]:
    engine = database.connect(empty_url)
    yield engine
    engine.dispose()


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Engine]:
    engine = database.connect(f"sqlite:///{tmp_path}/calor.db")
    yield engine
    engine.dispose()


def migrate(engine: Engine, target: str) -> None:
    with engine.begin() as connection:
        migrations.run(connection, target)


def insert_stack(engine: Engine, id: str, name: str) -> None:
    row = {"id": id, "root": id, "name": name, **STACK}
    places = ", ".join(f":{column}" for column in row)
    with engine.begin() as connection:
        connection.execute(text(f"INSERT INTO stack ({', '.join(row)}) VALUES ({places})"), row)


def test_the_newest_revision_is_the_one_that_new_databases_get() -> None:
    assert migrations.script().get_current_head() == HEAD
    assert migrations.known()[0] == FIRST


def test_a_new_database_equals_a_migrated_one(
    empty: Engine,
) -> None:
    migrate(empty, HEAD)
    with empty.connect() as connection:
        migrated = schema.described(connection)
    with empty.begin() as connection:
        tables.metadata.drop_all(connection)
        schema.version.drop(connection)

    assert schema.upgrade(empty) is None

    with empty.connect() as connection:
        assert schema.described(connection) == migrated
    assert schema.revision(empty) == HEAD


@pytest.mark.parametrize("start", migrations.known())
def test_what_is_stored_survives_an_upgrade_from_any_revision(empty: Engine, start: str) -> None:
    migrate(empty, start)
    insert_stack(empty, "1", "one")

    assert schema.upgrade(empty) == start

    with empty.connect() as connection:
        row = connection.execute(tables.stack.select()).one()
    assert (row.name, row.created_at, row.tags, row.run) == ("one", 1.5, [], {})
    assert schema.revision(empty) == HEAD


def test_to_upgrade_again_changes_nothing(empty: Engine) -> None:
    schema.upgrade(empty)
    insert_stack(empty, "1", "one")

    assert schema.upgrade(empty) == HEAD

    with empty.connect() as connection:
        assert connection.execute(tables.stack.select()).one().id == "1"


def test_several_processes_may_start_at_once(empty: Engine) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: schema.upgrade(empty), range(4)))

    assert schema.revision(empty) == HEAD


def test_an_interrupted_creation_is_repeated(empty: Engine) -> None:
    with empty.begin() as connection:
        schema.version.create(connection)
        tables.content.create(connection)

    schema.upgrade(empty)

    assert schema.revision(empty) == HEAD
    insert_stack(empty, "1", "one")


def test_a_database_of_heat_is_refused_and_stays_as_it_is(empty: Engine) -> None:
    with empty.begin() as connection:
        connection.execute(text("CREATE TABLE raw_template (id INTEGER PRIMARY KEY)"))
        connection.execute(text("CREATE TABLE stack (id VARCHAR(36) PRIMARY KEY, raw_template_id INTEGER)"))

    with pytest.raises(Unusable, match=r"Heat's tables.*CREATE DATABASE calor"):
        schema.upgrade(empty)

    with empty.connect() as connection:
        assert set(schema.described(connection)) == {"stack"}


def test_a_database_of_a_newer_version_is_refused(empty: Engine) -> None:
    schema.upgrade(empty)
    with empty.begin() as connection:
        connection.execute(schema.version.update().values(version_num="9999"))

    with pytest.raises(Unusable, match=r"9999.*newer"):
        schema.upgrade(empty)


def test_tables_of_others_do_not_matter(empty: Engine) -> None:
    with empty.begin() as connection:
        connection.execute(text("CREATE TABLE theirs (id INTEGER PRIMARY KEY)"))

    schema.upgrade(empty)

    assert schema.revision(empty) == HEAD


def test_a_database_from_before_there_were_revisions_is_taken_over(file: Engine) -> None:
    migrate(file, FIRST)
    with file.begin() as connection:
        schema.version.drop(connection)
    insert_stack(file, "1", "one")

    assert schema.upgrade(file) == FIRST

    with file.connect() as connection:
        assert connection.execute(tables.stack.select()).one().name == "one"


def test_other_tables_with_the_same_names_are_refused(empty: Engine) -> None:
    with empty.begin() as connection:
        connection.execute(text("CREATE TABLE event (id INTEGER PRIMARY KEY)"))

    with pytest.raises(Unusable, match="same names as Calor's"):
        schema.upgrade(empty)


def test_what_is_up_to_date_costs_no_import_of_alembic(file: Engine) -> None:
    program = (
        "import sys; from calor.store import database, schema; engine = database.connect(sys.argv[1]); "
        "schema.upgrade(engine); schema.upgrade(engine); sys.exit('alembic' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program, str(file.url)], check=False).returncode == 0


def test_a_live_name_is_one_stacks_alone(empty: Engine) -> None:
    schema.upgrade(empty)
    insert_stack(empty, "1", "one")

    with pytest.raises(IntegrityError):
        insert_stack(empty, "2", "one")
    insert_stack(empty, "3", "One")
    insert_stack(empty, "4", "one ")
    with empty.begin() as connection:
        connection.execute(tables.stack.update().where(tables.stack.c.id == "1").values(deleted_at=2.0))
    insert_stack(empty, "5", "one")


def test_pending_signals_keep_their_order_in_the_migration(empty: Engine) -> None:
    migrate(empty, "0002")
    insert = "INSERT INTO inbox (id, seq, root, stack, resource, details) VALUES (:id, :seq, 's', 's', 'r', :details)"
    with empty.begin() as connection:
        for id, seq in (("a", 3.0), ("b", 1.0), ("c", 2.0)):
            connection.execute(text(insert), {"id": id, "seq": seq, "details": '{"n": 1}'})

    schema.upgrade(empty)

    with empty.begin() as connection:
        connection.execute(
            tables.inbox.insert().values(id="d", root="s", stack="s", resource="r", details=None)
        )
        rows = connection.execute(tables.inbox.select().order_by(tables.inbox.c.seq)).all()
    assert [row.id for row in rows] == ["b", "c", "a", "d"]
    assert rows[0].details == {"n": 1}
