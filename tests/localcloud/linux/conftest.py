"""Servers that really run: where they cannot, these tests are skipped with the probe's reasons."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import Listener, Machine


@pytest.fixture(scope="session")
def _possible(tmp_path_factory: pytest.TempPathFactory) -> None:
    if sys.platform != "linux":
        pytest.skip(f"this is {sys.platform}")
    from calor.localcloud.linux.probe import probe

    reasons = probe(tmp_path_factory.mktemp("probe")).reasons
    if reasons:
        if os.environ.get("CALOR_TEST_EVERYTHING"):
            pytest.fail(f"servers cannot run here: {reasons}")
        pytest.skip(f"servers cannot run here: {'; '.join(reasons)}")


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
