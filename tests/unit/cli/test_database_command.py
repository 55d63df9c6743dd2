"""`calor db` and `heat-manage`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from calor.cli import heat_manage, main
from calor.config.keys import configured_keys
from calor.server.locks import lock_cloud, lock_shared, share_keys
from calor.store import contents, database, migrations, schema, tables
from calor.store.cipher import Cipher
from calor.store.schema import FIRST, HEAD
from calor.store.writer import Changes, apply

DAY = 86_400.0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state directory, which commands find by themselves."""
    monkeypatch.setenv("CALOR_STATE_DIR", str(tmp_path))
    monkeypatch.delenv("CALOR_CONFIG_FILE", raising=False)
    return tmp_path


def calor(*arguments: str) -> int:
    return main.main(["db", *arguments])


def heat(*arguments: str) -> int:
    return heat_manage.main(arguments)


def url(place: Path) -> str:
    return f"sqlite:///{place}/calor.db"


def stack_row(id: str, **values: Any) -> dict[str, Any]:
    return {
        "id": id,
        "name": f"s{id}",
        "project": "p1",
        "root": id,
        "action": "DELETE",
        "status": "COMPLETE",
        "created_at": 0.0,
        "definition": "d",
        "tags": [],
        "run_id": "r",
        "run": {},
        **values,
    }


def engine_row(id: str, engine: str, seen: float) -> dict[str, Any]:
    return {
        "id": id,
        "engine": engine,
        "host": "h",
        "hostname": "h",
        "binary": "heat-engine",
        "topic": "engine",
        "report_interval": 60,
        "created_at": 0.0,
        "updated_at": seen,
    }


def write(address: str, table: Any, *rows: dict[str, Any]) -> None:
    engine = database.connect(address)
    with engine.begin() as connection:
        connection.execute(table.insert(), list(rows))
    engine.dispose()


def read(address: str, column: Any) -> list[Any]:
    engine = database.connect(address)
    with engine.connect() as connection:
        found = list(connection.execute(select(column)).scalars())
    engine.dispose()
    return found


def configured(place: Path, keys: str) -> tuple[str, str]:
    (place / "heat.conf").write_text(f"[DEFAULT]\nauth_encryption_key = {keys}\n")
    return "--config-file", str(place / "heat.conf")


def encrypt(place: Path, key: str) -> None:
    """Makes a database that is encrypted with a key as it stands in heat.conf."""
    engine = database.connect(url(place), Cipher(*configured_keys(key)))
    schema.upgrade(engine)
    database.seal_of(engine)
    engine.dispose()


class TestTables:
    def test_are_made_upgraded_and_left_alone(
        self, empty_url: str, place: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert calor("check", "--database", empty_url) == 1
        assert "calor db upgrade" in capsys.readouterr().err

        assert calor("upgrade", "--database", empty_url) == 0
        assert capsys.readouterr().out == f"created the tables of revision {HEAD}\n"
        assert calor("upgrade", "--database", empty_url) == 0
        assert calor("check", "--database", empty_url) == 0
        assert capsys.readouterr().out == f"up to date at revision {HEAD}\n" * 2

    def test_of_an_older_version_are_upgraded(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        engine = database.connect(url(place))
        with engine.begin() as connection:
            migrations.run(connection, FIRST)
        engine.dispose()

        assert calor("check") == 1
        assert calor("upgrade") == 0

        reported = capsys.readouterr()
        assert f"the revision {FIRST}, but needs {HEAD}" in reported.err
        assert reported.out == f"upgraded from revision {FIRST} to {HEAD}\n"

    def test_of_heat_are_refused_with_advice(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        engine = database.connect(url(place))
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE raw_template (id INTEGER PRIMARY KEY)"))
        engine.dispose()

        for verb in ("upgrade", "check", "purge-deleted", "rotate-key"):
            assert calor(verb) == 1
            assert "CREATE DATABASE calor" in capsys.readouterr().err

    def test_the_configured_database_is_meant(self, place: Path) -> None:
        (place / "heat.conf").write_text(f"[database]\nconnection = sqlite:///{place}/other.db\n")

        assert calor("upgrade", "--config-file", str(place / "heat.conf")) == 0

        assert (place / "other.db").exists()
        assert not (place / "calor.db").exists()

    @pytest.mark.parametrize(
        ("address", "word"),
        [
            ("nonsense", "postgresql://user:password@host/calor"),
            ("oracle://u:secret@h/d", "PostgreSQL or MariaDB"),
            ("sqlite:////nowhere/at/all.db", "cannot be used"),
            ("postgresql://u:secret@127.0.0.1:1/d", "cannot be used"),
        ],
    )
    def test_a_database_that_cannot_be_reached_is_reported_in_a_line(
        self, place: Path, address: str, word: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert calor("check", "--database", address) == 1

        reported = capsys.readouterr().err
        assert word in reported
        assert "secret" not in reported
        assert reported.count("\n") == 1


class TestPurging:
    @pytest.fixture
    def address(self, database_url: str, place: Path) -> str:
        engine = database.connect(database_url)
        schema.upgrade(engine)
        engine.dispose()
        now = time.time()
        write(
            database_url,
            tables.stack,
            stack_row("old", deleted_at=now - 100 * DAY),
            stack_row("older", deleted_at=now - 200 * DAY, project="p2"),
            stack_row("new", deleted_at=now - DAY),
            stack_row("live", deleted_at=None),
        )
        event = {
            "id": "e",
            "stack": "old",
            "root": "old",
            "resource": "r",
            "type": "T",
            "action": "CREATE",
            "status": "COMPLETE",
            "reason": "",
            "at": 0.0,
        }
        write(database_url, tables.event, event)
        return database_url

    @pytest.mark.parametrize(
        ("arguments", "left"),
        [
            ([], ["live", "new"]),
            (["150"], ["live", "new", "old"]),
            (["-g", "hours", "1"], ["live"]),
            (["-g", "seconds", "0"], ["live"]),
            (["-p", "p2", "1", "-b", "1"], ["live", "new", "old"]),
        ],
    )
    @pytest.mark.parametrize("command", ["calor", "heat-manage"])
    def test_forgets_what_was_deleted_long_ago(
        self, address: str, arguments: list[str], left: list[str], command: str
    ) -> None:
        if command == "calor":
            assert calor("purge-deleted", "--database", address, *arguments) == 0
        else:
            assert heat("--database", address, "purge_deleted", *arguments) == 0

        assert sorted(read(address, tables.stack.c.id)) == left
        assert read(address, tables.event.c.id) == (["e"] if "old" in left else [])

    @pytest.mark.parametrize("arguments", [["-1"], ["nan"], ["-b", "0"], ["-g", "weeks"]])
    def test_what_makes_no_sense_is_wrong_usage(self, place: Path, arguments: list[str]) -> None:
        with pytest.raises(SystemExit) as stop:
            calor("purge-deleted", *arguments)
        assert stop.value.code == 2


class TestRotation:
    def test_what_is_encrypted_is_read_with_the_new_key_alone(self, database_url: str, place: Path) -> None:
        old = Cipher.new_key()
        (place / "key").write_bytes(old)
        engine = database.connect(database_url, Cipher(old))
        schema.upgrade(engine)
        digest, body = contents.encode({"password": "hunter2"}, database.seal_of(engine))
        changes = Changes(sealed=True)
        changes.insert(tables.stack, **stack_row("1", outputs={"password": "hunter2"}))
        with engine.begin() as connection:
            contents.put(connection, {digest: body})
            apply(connection, changes)
        engine.dispose()

        assert calor("rotate-key", "--database", database_url) == 0

        [new] = (place / "key").read_bytes().split()
        assert new != old
        engine = database.connect(database_url, Cipher(new))
        with engine.connect() as connection:
            assert contents.get(connection, [digest]) == {digest: {"password": "hunter2"}}
            assert connection.execute(select(tables.stack.c.outputs)).scalar_one() == {"password": "hunter2"}
        assert contents.encode({"password": "hunter2"}, database.seal_of(engine))[0] == digest
        engine.dispose()
        assert calor("check", "--database", database_url) == 0

    def test_one_that_was_broken_off_goes_on_with_the_same_key(self, place: Path) -> None:
        old, new = Cipher.new_key(), Cipher.new_key()
        engine = database.connect(url(place), Cipher(old))
        schema.upgrade(engine)
        database.seal_of(engine)
        engine.dispose()
        (place / "key").write_bytes(new + b"\n" + old)

        assert calor("rotate-key") == 0

        assert (place / "key").read_bytes() == new + b"\n"
        assert calor("check") == 0

    @pytest.mark.parametrize(("age", "refused"), [(0, True), (100, True), (121, False)])
    def test_while_an_engine_works_it_is_refused(
        self, place: Path, age: float, refused: bool, capsys: pytest.CaptureFixture[str]
    ) -> None:
        calor("upgrade")
        (place / "key").write_bytes(old := Cipher.new_key())
        write(url(place), tables.service, engine_row("1", "first", seen=time.time() - age))

        assert calor("rotate-key") == int(refused)

        assert ("an engine on h uses the database" in capsys.readouterr().err) is refused
        assert ((place / "key").read_bytes() == old) is refused

    def test_while_a_server_uses_the_state_directory_it_is_refused(
        self, place: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        calor("upgrade")
        (place / "key").write_bytes(Cipher.new_key())

        with lock_shared(place), share_keys(place):
            assert calor("rotate-key") == 1
            assert "another server uses" in capsys.readouterr().err
        assert calor("rotate-key") == 0

    def test_the_embedded_cloud_may_run_meanwhile(self, place: Path) -> None:
        calor("upgrade")
        (place / "key").write_bytes(Cipher.new_key())

        with lock_shared(place), lock_cloud(place):
            assert calor("rotate-key") == 0

    def test_a_server_that_knows_all_keys_may_run_meanwhile(self, place: Path) -> None:
        old, new = "o" * 32, "n" * 32
        encrypt(place, old)
        configuration = configured(place, f"{new},{old}")
        row = engine_row("1", "first", seen=time.time()) | {"created_at": time.time() + 1}
        write(url(place), tables.service, row)

        with lock_shared(place), share_keys(place):
            assert calor("rotate-key", *configuration) == 0

        assert calor("check", *configured(place, new)) == 0

    def test_an_engine_that_was_not_restarted_since_the_keys_changed_is_reported(
        self, place: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        encrypt(place, "o" * 32)
        configuration = configured(place, f"{'n' * 32},{'o' * 32}")
        row = engine_row("1", "first", seen=time.time()) | {"created_at": time.time() - 60}
        write(url(place), tables.service, row)

        assert calor("rotate-key", *configuration) == 1

        assert "the engine on h was started before the keys were last changed" in capsys.readouterr().err

    @pytest.mark.parametrize("old", ["o" * 32, "o" * 16, "o" * 24, "o" * 40])
    def test_old_keys_may_have_the_form_that_heat_uses(self, place: Path, old: str) -> None:
        encrypt(place, old)
        (place / "old").write_text(f"{old}\n")
        configuration = configured(place, "n" * 32)

        assert calor("check", *configuration) == 1
        assert calor("rotate-key", "--old-keys", str(place / "old"), *configuration) == 0

        assert calor("check", *configuration) == 0

    def test_old_keys_may_be_a_copy_of_the_key_file(self, place: Path) -> None:
        old = Cipher.new_key()
        engine = database.connect(url(place), Cipher(old))
        schema.upgrade(engine)
        database.seal_of(engine)
        engine.dispose()
        (place / "old").write_bytes(old + b"\n")
        configuration = configured(place, "n" * 32)

        assert calor("rotate-key", "--old-keys", str(place / "old"), *configuration) == 0

        assert calor("check", *configuration) == 0

    @pytest.mark.parametrize(("text", "said"), [("short\n", "line 1 is not a key"), (None, "No such file")])
    def test_a_file_without_usable_keys_is_reported_in_a_line(
        self, place: Path, text: str | None, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        encrypt(place, "o" * 32)
        if text is not None:
            (place / "old").write_text(text)

        assert calor("rotate-key", "--old-keys", str(place / "old"), *configured(place, "n" * 32)) == 1

        reported = capsys.readouterr().err
        assert said in reported
        assert reported.count("\n") == 1

    def test_a_missing_old_key_is_reported(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        encrypt(place, "o" * 32)

        assert calor("rotate-key", *configured(place, "n" * 32)) == 1

        assert "encrypted with another key" in capsys.readouterr().err

    def test_a_missing_key_is_reported(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        calor("upgrade")

        assert calor("rotate-key") == 1

        assert "there is no key" in capsys.readouterr().err


class TestHeatManage:
    def test_makes_tables_and_shows_their_revision(
        self, place: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert heat("db_version") == 0
        assert heat("db_sync") == 0
        assert heat("db_version") == 0

        assert capsys.readouterr().out == f"none\ncreated the tables of revision {HEAD}\n{HEAD}\n"

    def test_options_may_stand_before_the_verb(self, place: Path) -> None:
        (place / "heat.conf").write_text(f"[database]\nconnection = sqlite:///{place}/other.db\n")

        assert heat("--config-file", str(place / "heat.conf"), "db_sync") == 0

        assert (place / "other.db").exists()

    def test_engines_are_listed_and_forgotten(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        calor("upgrade")
        now = time.time()
        write(
            url(place),
            tables.service,
            engine_row("1", "first", seen=now),
            engine_row("2", "second", seen=now - 121),
        )
        capsys.readouterr()

        assert heat("service", "list") == 0
        header, *lines = capsys.readouterr().out.splitlines()
        assert header.split()[:3] == ["Hostname", "Binary", "Engine"]
        assert [line.split()[2:6:3] for line in lines] == [["first", "up"], ["second", "down"]]

        assert heat("service", "clean") == 0
        assert read(url(place), tables.service.c.engine) == ["first"]

    @pytest.mark.parametrize(("answer", "status"), [("yes", "FAILED"), ("no", "IN_PROGRESS")])
    def test_what_is_under_way_is_ended_if_the_operator_agrees(
        self, place: Path, answer: str, status: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calor("upgrade")
        write(url(place), tables.stack, stack_row("1", action="UPDATE", status="IN_PROGRESS"))
        write(url(place), tables.lease, {"stack": "1", "owner": "o", "epoch": 1, "expires_at": 2e9})
        monkeypatch.setattr("builtins.input", lambda _: answer)

        assert heat("reset_stack_status", "1") == (answer != "yes")

        assert read(url(place), tables.stack.c.status) == [status]
        assert len(read(url(place), tables.lease.c.stack)) == (answer != "yes")

    def test_data_of_a_resource_are_listed(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        calor("upgrade")
        row = {"id": "r1", "stack": "s", "name": "r", "type": "T", "action": "CREATE", "status": "COMPLETE"}
        data = {"access_key": "abc", "_reference": "x"}
        write(url(place), tables.resource, {**row, "created_at": 0.0, "requires": [], "data": data})
        capsys.readouterr()

        assert heat("resource_data_list", "r1") == 0
        assert heat("resource_data_list", "r2") == 1

        assert capsys.readouterr().out == "access_key = abc\n"

    @pytest.mark.parametrize(
        "arguments",
        [["migrate_properties_data"], ["migrate_convergence_1", "-s", "1"], ["update_params", "encrypt"]],
    )
    def test_what_calor_does_not_need_is_accepted(self, place: Path, arguments: list[str]) -> None:
        assert heat(*arguments) == 0
