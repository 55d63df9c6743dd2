"""Servers that really run, with somebody hostile as their root; skipped with the probe's reasons where they cannot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import Listener, Machine
from needing import need_servers


@pytest.fixture(scope="session")
def _possible(tmp_path_factory: pytest.TempPathFactory) -> None:
    need_servers(tmp_path_factory.mktemp("machine"))


@pytest.fixture
def door() -> Iterator[Listener]:
    """A service of the host that servers may reach."""
    made = Listener()
    yield made
    made.close()


@pytest.fixture
def machine(_possible: None, tmp_path: Path, door: Listener) -> Iterator[Machine]:
    made = Machine(tmp_path / "cloud" / "linux", (("127.0.0.1", door.port),))
    yield made
    made.stop()


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only for root")


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A folder of the host whose files no server may ever read."""
    folder = tmp_path / "secrets"
    (folder / "local").mkdir(parents=True)
    for number in range(20):
        (folder / f"file{number:02}").write_text("a secret of the host")
    return folder
