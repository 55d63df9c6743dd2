"""Templates fetched from the web."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from calor.clouds.web import LARGEST, fetch_text

CONTENT = {"/t.yaml": "heat_template_version: 2021-04-16 # ☃".encode(), "/large": b"x" * (LARGEST + 1)}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = CONTENT.get(self.path)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def site() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_text_at_an_address(site: str) -> None:
    assert fetch_text(f"{site}/t.yaml") == "heat_template_version: 2021-04-16 # ☃"


@pytest.mark.parametrize("path", ["/nothing", "/large"])
def test_what_is_not_there_or_too_large(site: str, path: str) -> None:
    with pytest.raises(OSError, match=r"404|larger"):
        fetch_text(site + path)


@pytest.mark.parametrize(
    "url", ["http://", "http://[", "http://a b/", "http://127.0.0.1:1/", "nothing", "file:///x"]
)
def test_addresses_of_nothing(url: str) -> None:
    with pytest.raises(OSError):
        fetch_text(url)
