"""A server with its embedded cloud, and users of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.orchestrator import Orchestrator
from tests.support.server import Server, free_port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of a module, which find in the cloud what they made, and nothing else."""
    made = Server(tmp_path_factory.mktemp("server") / "state", free_port())
    made.ready()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def demo(server: Server) -> Orchestrator:
    """A member of the project demo."""
    return Orchestrator(server)


@pytest.fixture(scope="module")
def admin(server: Server) -> Orchestrator:
    return Orchestrator(server, "calor-admin")
