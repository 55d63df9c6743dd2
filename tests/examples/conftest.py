"""A whole Calor for the examples, with servers that really run where they can."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.command_line import Tried
from tests.support.requirements import need_servers
from tests.support.server import free_port


@pytest.fixture(scope="module")
def calor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    folder: Path = tmp_path_factory.mktemp("calor")
    need_servers(folder)
    made = Tried(folder / "state", free_port())
    yield made
    made.end()
