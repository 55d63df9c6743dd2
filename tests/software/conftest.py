"""One Calor with real servers for all tests of the folder, which share nothing in it but the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.software.site import Site, stop_servers
from tests.support.requirements import need_servers
from tests.support.server import Server, free_port

Make = Callable[..., str]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("software")
    need_servers(folder)
    server = Server(folder / "state", free_port(), backend="linux")
    server.ready()
    yield Site(server)
    server.stop()
    stop_servers(folder / "state")


@pytest.fixture
def make(site: Site, request: pytest.FixtureRequest) -> Iterator[Make]:
    """Creates a stack of resources, and returns its path when it is complete. It is deleted after the test."""
    made: list[str] = []

    def make(resources: dict[str, Any], *, wait: bool = True, **sections: Any) -> str:
        name = f"{request.node.originalname.removeprefix('test_')[:60].replace('_', '-')}-{len(made)}"
        path = site.begin(f"{name}-{abs(hash(request.node.name)) % 10**6}", resources, **sections)
        made.append(path)
        if wait:
            site.wait(path, "CREATE_COMPLETE")
        return path

    yield make
    for path in made:
        site.remove(path)
