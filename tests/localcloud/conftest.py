"""A cloud of its own for every test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.localcloud.cloud_process import Running, free_port, start
from tests.support.cloud import Cloud
from tests.support.cloud_fixtures import cloud, furnished
from tests.support.machinery import Watched
from tests.support.network import Networks

__all__ = ["cloud", "furnished"]


@pytest.fixture
def networks(cloud: Cloud) -> Networks:
    return Networks(cloud)


@pytest.fixture
def stranger(cloud: Cloud) -> str:
    """A user of another project."""
    cloud.make("/projects", "project", name="elsewhere", domain_id="default")
    cloud.user("stranger", "member", project="elsewhere")
    return "stranger"


@pytest.fixture
def backend() -> Watched:
    return Watched()


@pytest.fixture
def watched_cloud(
    furnished: tuple[Path, dict[str, str]], tmp_path: Path, backend: Watched
) -> Iterator[Cloud]:
    """A cloud whose backend can be looked at."""
    database, passwords = furnished
    copy = Path(shutil.copy(database, tmp_path / "cloud.db"))
    made = Cloud(copy, dict(passwords), backend=backend)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    database, port = tmp_path_factory.mktemp("cloud") / "cloud.db", free_port()
    process = start(database, port)
    assert process.stdout is not None
    reported = [process.stdout.readline().split() for _ in range(3)]
    yield Running(f"http://127.0.0.1:{port}", database, dict(reported), process)
    process.terminate()
    process.communicate(timeout=10)
