from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(tmp_path)
    yield made
    made.close()
