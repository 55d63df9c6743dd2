"""A server that allows everything which an operator can allow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.server import Server, free_port

CONFIGURATION = "[DEFAULT]\nenable_stack_adopt = true\nenable_stack_abandon = true\n"


@pytest.fixture(scope="module")
def generous(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    directory = tmp_path_factory.mktemp("server")
    config = directory / "calor.conf"
    config.write_text(CONFIGURATION)
    with (directory / "log").open("w") as log:
        made = Server(directory / "state", free_port(), config, log=log.fileno())
    made.ready()
    yield made
    made.stop()
