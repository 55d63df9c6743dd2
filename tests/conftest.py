"""For all tests: databases, and patience where a machine is slow."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx2._config import DEFAULT_TIMEOUT_CONFIG

from calor.store import database, schema
from tests.support.databases import DatabaseServer, MariaDB, PostgreSQL, start
from tests.support.requirements import lacking

KINDS = {"postgresql": PostgreSQL, "mariadb": MariaDB}
SERVERS = [pytest.param(kind, marks=pytest.mark.extended) for kind in KINDS]
DATABASES = ["sqlite", *SERVERS]

# Clients of tests that name no timeout give up after five seconds, which a busy machine may need for a password.
for _part in ("connect", "read", "write", "pool"):
    setattr(DEFAULT_TIMEOUT_CONFIG, _part, 60.0)


@pytest.fixture(scope="session")
def database_servers() -> Iterator[dict[str, DatabaseServer]]:
    """Servers by kind, started when they are first asked for."""
    running: dict[str, DatabaseServer] = {}
    yield running
    for server in running.values():
        server.close()


def server_of(kind: str, running: dict[str, DatabaseServer]) -> DatabaseServer:
    """Skips the test where there is no such server, unless it is said that nothing may be skipped."""
    if kind not in running:
        made = start(KINDS[kind])
        if made is None:
            lacking(kind)
        running[kind] = made
    return running[kind]


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with tables and no rows, to copy: that takes a tenth of the time of creating the tables."""
    file = tmp_path_factory.mktemp("prepared") / "calor.db"
    engine = database.connect(f"sqlite:///{file}")
    schema.upgrade(engine)
    # Closing the last connection moves everything into the one file.
    engine.dispose()
    return file


@pytest.fixture(params=DATABASES)
def database_url(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    prepared_file: Path,
    database_servers: dict[str, DatabaseServer],
) -> str:
    """A database with tables and no rows, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(prepared_file, tmp_path)}"
    return server_of(request.param, database_servers).prepared()


@pytest.fixture(params=DATABASES)
def empty_url(
    request: pytest.FixtureRequest, tmp_path: Path, database_servers: dict[str, DatabaseServer]
) -> str:
    """A database with nothing in it, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/empty.db"
    return server_of(request.param, database_servers).empty()


@pytest.fixture(params=SERVERS)
def database_server(
    request: pytest.FixtureRequest, database_servers: dict[str, DatabaseServer]
) -> DatabaseServer:
    """A server of each kind in turn."""
    return server_of(request.param, database_servers)
