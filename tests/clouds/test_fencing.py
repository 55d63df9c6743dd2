"""Requests that change something are not sent after the lease is lost."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from json import dumps
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter

from calor.clouds.connections import IdleLimitAdapter
from calor.clouds.fencing import sending_only_if
from calor.clouds.plain_requests import PlainSession


class TooLate(Exception):
    pass


def never() -> None:
    raise TooLate


class Heard(BaseHTTPRequestHandler):
    """Notes the requests that have come in whole."""

    requests: list[str] = []

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if len(self.rfile.read(length)) == length:
            self.requests.append(f"{self.command} {self.path}")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    Heard.requests = []
    made = ThreadingHTTPServer(("127.0.0.1", 0), Heard)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


class Direct(PlainSession):
    def request(self, method: str, url: str | bytes, *_: Any, **options: Any) -> requests.Response:
        """Like keystoneauth."""
        body = options.get("json")
        data = None if body is None else dumps(body)
        return super().request(method, url, data=data, timeout=5.0, allow_redirects=False)


@pytest.fixture(params=["requests", "direct"])
def session(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> requests.Session:
    """With each of both ways to send requests."""
    made = requests.Session()
    if request.param == "direct":
        made = Direct()
        monkeypatch.delattr(HTTPAdapter, "send")
    made.mount("http://", IdleLimitAdapter())
    return made


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_what_changes_something_is_not_sent_too_late(
    server: str, session: requests.Session, method: str
) -> None:
    with sending_only_if(never), pytest.raises(TooLate):
        session.request(method, f"{server}/things", json={"a": 1})

    assert Heard.requests == []


def test_what_reads_and_what_logs_in_is_always_sent(server: str, session: requests.Session) -> None:
    with sending_only_if(never):
        session.get(f"{server}/things")
        session.post(f"{server}/identity/v3/auth/tokens", json={})

    assert Heard.requests == ["GET /things", "POST /identity/v3/auth/tokens"]


def test_a_request_is_cut_off_between_its_head_and_its_body(server: str, session: requests.Session) -> None:
    answers = iter([True])

    def once() -> None:
        if not next(answers, False):
            raise TooLate

    with sending_only_if(once), pytest.raises(TooLate):
        session.post(f"{server}/things", json={"a": 1})
    session.get(f"{server}/things")

    assert Heard.requests == ["GET /things"]


def test_the_check_is_made_after_connecting(
    server: str, session: requests.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that takes its time to answer may have taken all the time there was."""
    connected: list[bool] = []
    connect = socket.socket.connect

    def noting(own: socket.socket, address: object) -> None:
        connect(own, address)  # type: ignore[arg-type]
        connected.append(True)

    def check() -> None:
        assert connected

    monkeypatch.setattr(socket.socket, "connect", noting)
    with sending_only_if(check):
        session.post(f"{server}/things", json={})

    assert Heard.requests == ["POST /things"]


def test_other_threads_are_not_held_up(server: str, session: requests.Session) -> None:
    with sending_only_if(never):
        beside = threading.Thread(target=session.post, args=(f"{server}/things",))
        beside.start()
        beside.join()

    assert Heard.requests == ["POST /things"]


def test_the_check_ends_with_its_block(server: str, session: requests.Session) -> None:
    with sending_only_if(never):
        pass
    session.post(f"{server}/things")

    assert Heard.requests == ["POST /things"]
