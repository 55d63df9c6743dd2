"""Servers that really run, with somebody hostile as their root."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.linux_fixtures import _possible, as_root, host_service, machine

__all__ = ["_possible", "as_root", "host_service", "machine"]


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A folder of the host whose files no server may ever read."""
    folder = tmp_path / "secrets"
    (folder / "local").mkdir(parents=True)
    for number in range(20):
        (folder / f"file{number:02}").write_text("a secret of the host")
    return folder
