"""Keep-alive connections that are closed before the service closes them."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import requests

from calor.clouds import connections


@pytest.fixture
def service() -> Iterator[tuple[str, set[int]]]:
    """An address, and the ports that requests came from."""
    ports: set[int] = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            ports.add(self.client_address[1])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", ports
    server.shutdown()
    server.server_close()


def _ask_twice(address: str) -> None:
    with requests.Session() as session:
        session.mount("http://", connections.IdleLimitAdapter())
        for _ in range(2):
            assert session.get(address).status_code == 204


def test_the_next_request_takes_the_same_one(service: tuple[str, set[int]]) -> None:
    address, ports = service
    _ask_twice(address)

    assert len(ports) == 1


def test_an_idle_connection_is_not_reused(
    service: tuple[str, set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_IDLE_SECONDS", 0.0)
    address, ports = service
    _ask_twice(address)

    assert len(ports) == 2


def test_every_session_with_a_cloud_is_careful() -> None:
    from calor.clouds.sessions import Cloud, ServiceAccount

    cloud = Cloud(ServiceAccount("http://keystone.test", "heat", "secret"))

    for address in ("http://keystone.test", "https://keystone.test"):
        assert isinstance(cloud.service.session.get_adapter(address), connections.IdleLimitAdapter)
