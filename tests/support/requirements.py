"""What a test needs of the machine."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """Skips the test, unless it is said that nothing may be skipped."""
    if os.environ.get("CALOR_TEST_EVERYTHING"):
        pytest.fail(f"{what} is not installed")
    pytest.skip(f"{what} is not installed")


def need(program: str) -> None:
    """Goes on with the test only where the program is installed."""
    if shutil.which(program) is None:
        lacking(program)


def need_servers(folder: Path) -> None:
    """Goes on with the test only where servers of the embedded cloud can really run."""
    if sys.platform != "linux":
        pytest.skip(f"servers cannot run here: this is {sys.platform}")
    from calor.localcloud.linux.probe import probe

    reasons = probe(folder / "probe").reasons
    if reasons:
        words = f"servers cannot run here: {'; '.join(reasons)}"
        if os.environ.get("CALOR_TEST_EVERYTHING"):
            pytest.fail(words)
        pytest.skip(words)
