"""A cloud of its own for every test, in this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from calor.localcloud.config import AnnouncedService, CloudConfig
from calor.localcloud.identity import hashing
from calor.localcloud.server import initialize
from tests.support.cloud import Cloud

HEAT_URL = "http://127.0.0.1:8004/v1/%(project_id)s"


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """Furnished once and copied for every test; with cheap hashes, as no one attacks these passwords."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing, "_COST", (2, 8, 1))
        database = tmp_path_factory.mktemp("cloud") / "cloud.db"
        announced = (AnnouncedService("orchestration", "heat", HEAT_URL),)
        credentials = initialize(CloudConfig("cloud", 5000, database, announced))
        yield database, dict(credentials.passwords)


@pytest.fixture
def cloud(furnished: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Cloud]:
    database, passwords = furnished
    made = Cloud(Path(shutil.copy(database, tmp_path / "cloud.db")), dict(passwords))
    yield made
    made.stop()
