"""Requests that are sent without the layers of the requests library, and those that are left to it."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from requests import Response, exceptions
from requests.adapters import HTTPAdapter

from calor.clouds.connections import IdleLimitAdapter
from calor.clouds.plain_requests import PlainSession
from tests.support.certificates import self_signed, server_context

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Service:
    """Answers requests with given bytes; closes the connection after an answer that is not complete."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.answer = OK
        self.requests: list[bytes] = []
        self.connections = 0
        self._tls = tls
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        if self._tls is not None:
            try:
                connection = self._tls.wrap_socket(connection, server_side=True)
            except OSError:
                # The client does not trust the certificate.
                return
        with connection:
            while request := self._read(connection):
                self.requests.append(request)
                answer = self.answer
                connection.sendall(answer)
                if answer.endswith(b"{") or not answer.startswith(b"HTTP"):
                    return

    def _read(self, connection: socket.socket) -> bytes:
        read = b""
        while b"\r\n\r\n" not in read:
            try:
                part = connection.recv(65536)
            except ConnectionResetError:
                part = b""
            if not part:
                return b""
            read += part
        head, _, body = read.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs of requests that were left to the requests library."""
    urls: list[str] = []
    send = HTTPAdapter.send

    def noted(adapter: HTTPAdapter, request: Any, *args: Any, **options: Any) -> Response:
        urls.append(request.url)
        return send(adapter, request, *args, **options)

    monkeypatch.setattr(HTTPAdapter, "send", noted)
    return urls


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> PlainSession:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = PlainSession()
    made.mount("http://", IdleLimitAdapter())
    return made


Send = Callable[..., Response]


@pytest.fixture
def send(session: PlainSession, service: Service) -> Send:
    def send(method: str = "GET", path: str = "/v3/users", **options: Any) -> Response:
        options = {"timeout": 5.0, "allow_redirects": False, **options}
        return session.request(method, service.url + path, **options)

    return send


def test_a_response_is_the_same_both_ways(send: Send, service: Service, left: list[str]) -> None:
    service.answer = (
        b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json; charset=utf-8\r\nX-Request: 1\r\n"
        b"Vary: a\r\nVary: b\r\nContent-Length: 14\r\n\r\n" + '{"name": "é"}'.encode()
    )
    one = send()
    assert left == []
    other = send(stream=False)
    assert left == [one.url]

    for found in (one, other):
        assert found.json() == {"name": "é"}
    for name in ("status_code", "reason", "url", "content", "text", "encoding", "headers", "ok", "history"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.headers["vary"] == "a, b"
    assert one.request.method == other.request.method


@pytest.mark.parametrize(
    ("method", "data"), [("GET", None), ("DELETE", None), ("POST", '{"a": "é"}'), ("POST", None)]
)
def test_a_request_is_the_same_both_ways(
    send: Send, service: Service, left: list[str], method: str, data: str | None
) -> None:
    headers = {"X-Auth-Token": "t", "accept": "application/json"}
    send(method, headers=headers, data=data)
    send(method, headers=headers, data=data, stream=False)

    one, other = (request.partition(b"\r\n\r\n") for request in service.requests)
    assert len(left) == 1
    assert one[2] == other[2] == (data or "").encode()
    as_set = [sorted(head.lower().split(b"\r\n")) for head, _, _ in (one, other)]
    assert as_set[0] == as_set[1]


def test_both_ways_share_connections(send: Send, service: Service, left: list[str]) -> None:
    for options in ({}, {"stream": False}, {}):
        assert send(**options).json() == {}

    assert len(left) == 1
    assert service.connections == 1


def test_a_compressed_response_is_decompressed(send: Send, service: Service) -> None:
    body = gzip.compress(b'{"a": 1}')
    service.answer = (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )

    assert send().json() == {"a": 1}


def test_cookies_are_not_kept(send: Send, service: Service) -> None:
    service.answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: who=me\r\nContent-Length: 2\r\n\r\n{}"
    for options in ({}, {"stream": False}, {}):
        send(**options)

    assert not any(b"cookie" in request.lower() for request in service.requests)


@pytest.mark.parametrize(
    "options",
    [
        {"path": "/v3/users?name=x"},
        {"path": "/v3/users/a%20b"},
        {"path": "/v3/../v2"},
        {"path": ""},
        {"params": {"name": "x"}},
        {"headers": {"name": "é"}},
        {"headers": {"name": b"bytes"}},
        {"data": iter([b"{}"]), "method": "POST"},
        {"allow_redirects": True},
        {"timeout": None},
        {"timeout": (1.0, 2.0)},
    ],
)
def test_the_unusual_is_left_to_the_library(send: Send, left: list[str], options: dict[str, Any]) -> None:
    send(**options)

    assert len(left) == 1


def test_a_proxy_is_used(
    session: PlainSession, service: Service, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", service.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    session.request("GET", "http://keystone.test/v3", timeout=5.0, allow_redirects=False)

    assert left
    assert service.requests[0].startswith(b"GET http://keystone.test/v3 ")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone",
    ],
)
def test_a_broken_response_is_a_connection_error(send: Send, service: Service, answer: bytes) -> None:
    service.answer = answer
    with pytest.raises(exceptions.ConnectionError):
        send()

    service.answer = OK
    assert send().json() == {}


def test_a_service_that_does_not_listen(session: PlainSession) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v3"
    with pytest.raises(exceptions.ConnectionError):
        session.request("GET", url, timeout=5.0, allow_redirects=False)


def test_a_service_that_does_not_answer(session: PlainSession) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v3"
        with pytest.raises(exceptions.Timeout):
            session.request("GET", url, timeout=0.05, allow_redirects=False)


class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        return self_signed(tmp_path, "localhost")

    @pytest.fixture
    def send(self, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Send]:
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "https_proxy", "HTTPS_PROXY"):
            monkeypatch.delenv(name, raising=False)
        service = Service(server_context(certificate))
        session = PlainSession()
        session.mount("https://", IdleLimitAdapter())
        url = f"https://localhost:{service.port}/v3"
        yield lambda **options: session.request("GET", url, timeout=5.0, allow_redirects=False, **options)
        service.close()

    def test_a_certificate_of_a_known_authority_is_accepted(
        self, send: Send, certificate: Path, left: list[str]
    ) -> None:
        assert send(verify=str(certificate)).json() == {}
        assert left == []

    def test_other_certificates_are_refused(self, send: Send, certificate: Path, left: list[str]) -> None:
        send(verify=str(certificate))
        with pytest.raises(exceptions.SSLError, match="certificate"):
            send(verify=True)
        assert left == []

    @pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
    def test_a_connection_without_verification_is_not_reused_with_it(self, send: Send) -> None:
        assert send(verify=False).json() == {}
        with pytest.raises(exceptions.SSLError):
            send(verify=True)

    def test_the_environment_names_the_authorities(
        self, send: Send, certificate: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))

        assert send(verify=True).json() == {}

    def test_a_missing_file_of_authorities_is_an_error(self, send: Send) -> None:
        with pytest.raises(OSError, match="CA"):
            send(verify="/nowhere")
