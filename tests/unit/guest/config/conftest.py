from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.guest.config.guest import Guest
from tests.unit.guest.config.stack import Stack, listening


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    return Guest(tmp_path)


@pytest.fixture
def stack() -> Iterator[Stack]:
    with listening() as found:
        yield found
