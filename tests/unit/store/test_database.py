"""SQLite database files."""

from __future__ import annotations

from pathlib import Path

from calor.store import database


def _modes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


def _write(file: Path) -> dict[str, int]:
    engine = database.connect(f"sqlite:///{file}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
    modes = _modes(file.parent)
    engine.dispose()
    return modes


def test_a_new_sqlite_database_is_for_its_owner_only(tmp_path: Path) -> None:
    assert _write(tmp_path / "calor.db") == dict.fromkeys(["calor.db", "calor.db-wal", "calor.db-shm"], 0o600)


def test_one_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "calor.db"
    file.touch()
    file.chmod(0o640)
    assert set(_write(file).values()) == {0o640}
