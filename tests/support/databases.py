"""Private database servers for tests: each on a port and in a folder of its own, gone when the tests are."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from calor.store import database, schema, tables

PATIENCE = 60.0


class DatabaseServer(ABC):
    """A server that runs until it is closed."""

    account: str
    """Whose processes they are where tests run as root, which servers refuse."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="calor-database-"))
        self.port = _free_port()
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._kept: str | None = None
        self._log = (self.folder / "log").open("wb")
        if os.getuid() == 0:
            shutil.chown(self.folder, self.account)
        self.install()
        self.start()

    @abstractmethod
    def install(self) -> None: ...

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def url(self, name: str) -> str: ...

    def run(self, command: list[str]) -> None:
        subprocess.run(command, check=True, stdout=self._log, stderr=self._log, cwd=self.folder, **self._as())

    def _as(self) -> dict[str, Any]:
        if os.getuid():
            return {}
        account = pwd.getpwnam(self.account)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def start(self) -> None:
        self._process = subprocess.Popen(
            self.command(),
            stdout=self._log,
            stderr=self._log,
            cwd=self.folder,
            preexec_fn=_die_with_parent,
            **self._as(),
        )
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < end, "the database server does not start"
            time.sleep(0.05)

    def _answers(self) -> bool:
        engine = create_engine(self.url(""))
        try:
            with engine.connect():
                return True
        except Exception:
            return False
        finally:
            engine.dispose()

    def kill(self) -> None:
        """Ends it as a loss of power would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def empty(self) -> str:
        """The URL of a new database with nothing in it."""
        name = f"calor{next(self._numbers)}"
        engine = create_engine(self.url(""), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.url(name)

    def prepared(self) -> str:
        """The URL of a database with tables and no rows. It is the same one each time, emptied, as tables take their
        time to be made."""
        if self._kept is None:
            self._kept = self.empty()
        engine = database.connect(self._kept)
        schema.upgrade(engine)
        with engine.begin() as connection:
            for table in reversed(tables.metadata.sorted_tables):
                connection.execute(table.delete())
        engine.dispose()
        return self._kept


class PostgreSQL(DatabaseServer):
    account = "postgres"

    def install(self) -> None:
        options = ["--username=calor", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self.run([self._program("initdb"), f"--pgdata={self.folder}/data", *options])

    def command(self) -> list[str]:
        settings = (
            f"port={self.port}",
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={self.folder}",
        )
        quick = ("fsync=off", "full_page_writes=off", "deadlock_timeout=50ms")
        options = [part for one in (*settings, *quick) for part in ("-c", one)]
        return [self._program("postgres"), "-D", f"{self.folder}/data", *options]

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://calor@127.0.0.1:{self.port}/{name or 'postgres'}"

    def kill(self) -> None:
        # Ended by any other signal, it would leave its children behind for a while.
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    @staticmethod
    def _program(name: str) -> str:
        return _found(name, "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")


class MariaDB(DatabaseServer):
    account = "mysql"

    def install(self) -> None:
        options = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
        program = _found("mariadb-install-db", "/usr/bin")
        self.run([program, "--no-defaults", f"--datadir={self.folder}/data", *options])

    def command(self) -> list[str]:
        return [
            _found("mariadbd", "/usr/sbin"),
            "--no-defaults",
            f"--datadir={self.folder}/data",
            f"--port={self.port}",
            "--bind-address=127.0.0.1",
            f"--socket={self.folder}/socket",
            f"--pid-file={self.folder}/pid",
            "--skip-name-resolve",
            "--innodb-flush-log-at-trx-commit=2",
        ]

    def url(self, name: str) -> str:
        return f"mariadb+pymysql://root@127.0.0.1:{self.port}/{name}"


def _die_with_parent() -> None:
    """Tests that are killed leave no servers behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def start(kind: type[DatabaseServer]) -> DatabaseServer | None:
    """A server, or None where its programs are not installed."""
    try:
        return kind()
    except FileNotFoundError:
        return None


def _found(program: str, *folders: str) -> str:
    places = [str(match) for folder in folders for match in sorted(Path("/").glob(folder.lstrip("/")))]
    path = shutil.which(program, path=os.pathsep.join([*places, os.environ.get("PATH", "")]))
    if path is None:
        raise FileNotFoundError(program)
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
