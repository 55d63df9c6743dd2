"""A machine that runs real servers. Where it cannot, its tests are skipped with the probe's reasons."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from calor.localcloud.config import HostService
from tests.support.linux import Listener, Machine
from tests.support.requirements import need_servers


@pytest.fixture(scope="session")
def _possible(tmp_path_factory: pytest.TempPathFactory) -> None:
    need_servers(tmp_path_factory.mktemp("machine"))


@pytest.fixture
def host_service() -> Iterator[Listener]:
    """A service of the host that servers may reach."""
    made = Listener()
    yield made
    made.close()


@pytest.fixture
def machine(_possible: None, tmp_path: Path, host_service: Listener) -> Iterator[Machine]:
    made = Machine(tmp_path / "cloud" / "linux", (HostService("127.0.0.1", host_service.port),))
    yield made
    made.stop()


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only for root")
