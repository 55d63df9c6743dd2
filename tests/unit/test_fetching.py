"""Templates fetched from the web."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from calor.fetching.addresses import Allowed
from calor.fetching.web import Fetcher, _tls
from tests.support.certificates import self_signed, server_context

LARGEST = 100_000
CONTENT = {"/t.yaml": "heat_template_version: 2021-04-16 # ☃".encode(), "/large": b"x" * (LARGEST + 1)}


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/t.yaml")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = self.headers["Authorization"].encode() if self.path == "/who" else CONTENT.get(self.path)
        self.send_response(404 if content is None else 200)
        if self.path == "/t.yaml":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            content = b"".join(b"1\r\n%c\r\n" % byte for byte in content or b"") + b"0\r\n\r\n"
        else:
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


@pytest.fixture
def fetcher() -> Fetcher:
    return Fetcher(Allowed.of(["127.0.0.0/8"]))


@pytest.mark.parametrize("path", ["/t.yaml", "/moved"])
def test_the_text_at_an_address(fetcher: Fetcher, site: str, path: str) -> None:
    assert fetcher.text(site + path, LARGEST) == "heat_template_version: 2021-04-16 # ☃"


def test_credentials_in_an_address_are_sent(fetcher: Fetcher, site: str) -> None:
    url = site.replace("://", "://me:se%20cret@")
    assert fetcher.text(f"{url}/who", LARGEST) == "Basic bWU6c2UgY3JldA=="


@pytest.mark.parametrize("path", ["/nothing", "/large"])
def test_what_is_not_there_or_too_large(fetcher: Fetcher, site: str, path: str) -> None:
    with pytest.raises(OSError, match=r"404|larger"):
        fetcher.text(site + path, LARGEST)


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://[",
        "http://a b/",
        "http://127.0.0.1:1/",
        "nothing",
        "file:///x",
        "http://a:b/",
        "ftp://a/",
    ],
)
def test_addresses_of_nothing(fetcher: Fetcher, url: str) -> None:
    with pytest.raises(OSError):
        fetcher.text(url, LARGEST)


def test_a_proxy_of_the_environment_is_asked(
    fetcher: Fetcher, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may know names that are unknown here, but is not asked for what is refused."""
    known = socket.getaddrinfo

    def resolved(host: str, *args: Any, **more: Any) -> Any:
        if host.endswith(".test"):
            raise socket.gaierror("no such name")
        return known(host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setenv("http_proxy", site)
    monkeypatch.setenv("no_proxy", "")
    CONTENT["http://somewhere.test/x"] = b"by proxy"
    assert fetcher.text("http://somewhere.test/x", LARGEST) == "by proxy"
    with pytest.raises(OSError, match="public"):
        fetcher.text("http://10.0.0.1/x", LARGEST)


def test_what_an_operator_allows_is_read_from_networks_addresses_and_names() -> None:
    allowed = Allowed.of(["10.20.0.0/16", "192.168.1.7", "fd00::/8", "Templates.Example.", ""])
    assert allowed.permits("x", "10.20.3.4")
    assert allowed.permits("x", "192.168.1.7")
    assert allowed.permits("x", "fd00::1")
    assert allowed.permits("templates.example", "127.0.0.1")
    assert not allowed.permits("x", "10.21.0.1")
    with pytest.raises(ValueError):
        Allowed.of(["10.0.0.0/99"])


def test_a_host_proves_who_it_is_at_the_address_that_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = self_signed(tmp_path, "secure.test")
    server = HTTPServer(("127.0.0.1", 0), Site)
    server.socket = server_context(file).wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.server_port))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: [place])
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(file))
    _tls.cache_clear()
    fetcher = Fetcher(Allowed.of(["127.0.0.1"]))
    try:
        assert "heat_template" in fetcher.text(f"https://secure.test:{server.server_port}/t.yaml", LARGEST)
        with pytest.raises(OSError, match="certificate"):
            fetcher.text(f"https://another.test:{server.server_port}/t.yaml", LARGEST)
    finally:
        _tls.cache_clear()
        server.shutdown()
        thread.join()
        server.server_close()
