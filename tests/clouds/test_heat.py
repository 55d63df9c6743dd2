"""The client of another orchestration API, against a server that redirects as Heat does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from calor.clouds import errors
from calor.clouds.heat import RemoteHeat, stack_path
from calor.clouds.sessions import Cloud


class FakeHeat(BaseHTTPRequestHandler):
    """Knows the stack `web` with the id 1234. Its idea of its own address is wrong, as behind a proxy."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str, Any]]
    tokens: set[str | None]

    def handle_any(self) -> None:
        written = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.seen.append((self.command, self.path, json.loads(written) if written else None))
        self.tokens.add(self.headers["X-Auth-Token"])
        place = self.path.removeprefix("/v1/p/stacks")
        if place in ("/1234", "/1234/actions"):
            self.answer(302, {}, f"http://inside.invalid/v1/p/stacks/web{place}?kept=yes")
        elif place == "/circle":
            self.answer(302, {}, "/v1/p/stacks/circle")
        elif place == "/lost":
            self.answer(302, {}, "http://inside.invalid/login")
        elif place == "" and self.command == "POST":
            self.answer(201, {"stack": {"id": "1234", "links": []}})
        elif place == "/web/1234?kept=yes" and self.command == "GET":
            self.answer(200, {"stack": {"id": "1234", "stack_status": "CREATE_COMPLETE"}})
        elif place == "/web/1234?kept=yes":
            self.answer(202 if self.command == "PUT" else 204)
        elif place == "/web/1234/actions?kept=yes":
            self.answer(200)
        else:
            self.answer(404, {"title": "Not Found", "error": {"message": "No such stack."}})

    do_GET = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815

    def answer(self, status: int, body: dict[str, Any] | None = None, location: str | None = None) -> None:
        written = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if location:
            self.send_header("Location", location)
        if status != 204:
            self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests say what went wrong."""


@pytest.fixture
def served() -> Iterator[tuple[str, type[FakeHeat]]]:
    handler = type("Handler", (FakeHeat,), {"seen": [], "tokens": set()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/p/", handler
        server.shutdown()
        thread.join()


@pytest.fixture
def heat(cloud: Cloud, served: tuple[str, type[FakeHeat]]) -> RemoteHeat:
    return RemoteHeat(cloud.service, served[0])


def test_a_stack_is_created(cloud: Cloud, heat: RemoteHeat, served: tuple[str, type[FakeHeat]]) -> None:
    body = {"stack_name": "web", "template": {}}
    assert heat.create(body) == "1234"
    assert served[1].seen == [("POST", "/v1/p/stacks", body)]
    assert served[1].tokens == {cloud.service.get_token()}


def test_a_stack_is_shown_by_its_id(heat: RemoteHeat) -> None:
    assert heat.show("1234") == {"id": "1234", "stack_status": "CREATE_COMPLETE"}


def test_a_stack_that_does_not_exist_is_none(heat: RemoteHeat) -> None:
    assert heat.show("5678") is None


def test_redirections_are_followed_with_the_same_method_and_body(
    heat: RemoteHeat, served: tuple[str, type[FakeHeat]]
) -> None:
    heat.update("1234", {"template": {"a": 1}})
    heat.delete("1234")
    heat.act("1234", "suspend")
    assert served[1].seen == [
        ("PUT", "/v1/p/stacks/1234", {"template": {"a": 1}}),
        ("PUT", "/v1/p/stacks/web/1234?kept=yes", {"template": {"a": 1}}),
        ("DELETE", "/v1/p/stacks/1234", None),
        ("DELETE", "/v1/p/stacks/web/1234?kept=yes", None),
        ("POST", "/v1/p/stacks/1234/actions", {"suspend": None}),
        ("POST", "/v1/p/stacks/web/1234/actions?kept=yes", {"suspend": None}),
    ]


def test_deleting_a_stack_that_is_gone_is_fine(heat: RemoteHeat) -> None:
    heat.delete("5678")


def test_changing_a_stack_that_is_gone_is_not(heat: RemoteHeat) -> None:
    with pytest.raises(errors.NotFound, match="No such stack"):
        heat.update("5678", {})
    with pytest.raises(errors.NotFound, match="No such stack"):
        heat.act("5678", "check")


def test_endless_redirects_fail(heat: RemoteHeat) -> None:
    with pytest.raises(errors.Permanent, match="redirects too often"):
        heat.show("circle")
    with pytest.raises(errors.Permanent, match="login"):
        heat.show("lost")


def test_an_id_cannot_lead_out_of_the_stacks(heat: RemoteHeat, served: tuple[str, type[FakeHeat]]) -> None:
    assert heat.show("../secrets?x") is None
    assert served[1].seen == [("GET", "/v1/p/stacks/..%2Fsecrets%3Fx", None)]


def test_a_redirection_without_a_place_is_an_error() -> None:
    with pytest.raises(errors.Permanent, match="nowhere"):
        stack_path("")
