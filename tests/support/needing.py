"""What a test needs of the machine."""

from __future__ import annotations

import os
import shutil
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
