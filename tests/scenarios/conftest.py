from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.workbench import Workbench


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    made = Workbench(database_url)
    yield made
    made.close()
