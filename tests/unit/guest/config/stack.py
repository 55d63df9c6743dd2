"""What servers report to: takes signals, tokens and messages, and answers as a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 60


@dataclass
class Received:
    verb: str
    path: str
    body: Any
    headers: dict[str, str]

    @property
    def is_progress(self) -> bool:
        return isinstance(self.body, dict) and "deploy_progress" in self.body


@dataclass
class Stack:
    url: str
    received: list[Received] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    """The statuses of the next responses to results; 200 when there are none left."""
    holds_progress: threading.Event | None = None
    """Reports of progress are answered when it is set."""
    on_progress: Any = None
    """Called with each report of progress."""

    @property
    def results(self) -> list[Any]:
        return [one.body for one in self.received if not one.is_progress and "tokens" not in one.path]

    @property
    def progress(self) -> list[Any]:
        return [one.body["deploy_progress"] for one in self.received if one.is_progress]

    def signal_inputs(self, verb: str | None = None) -> list[dict[str, Any]]:
        inputs = [{"name": "deploy_signal_id", "value": f"{self.url}/signal?Signature=secret"}]
        return inputs + ([{"name": "deploy_signal_verb", "value": verb}] if verb else [])

    def account_inputs(self) -> list[dict[str, Any]]:
        values = {
            "auth_url": f"{self.url}/identity/v3",
            "user_id": "u1",
            "password": "hidden",
            "project_id": "p1",
            "region_name": "here",
            "stack_id": "web/5f2a",
            "resource_name": "app deployment",
        }
        return [{"name": f"deploy_{name}", "value": value} for name, value in values.items()]


@contextmanager
def listening() -> Iterator[Stack]:
    stack = Stack("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            _handle(self, stack)

        def do_PUT(self) -> None:
            _handle(self, stack)

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *arguments: object) -> None:
            """Agents are killed while they report."""

    server = Server(("127.0.0.1", 0), Handler)
    stack.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield stack
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handle(handler: BaseHTTPRequestHandler, stack: Stack) -> None:
    body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
    one = Received(handler.command, handler.path, body, {k.lower(): v for k, v in handler.headers.items()})
    stack.received.append(one)
    content: Any = {}
    if handler.path == "/identity/v3/auth/tokens":
        handler.send_response(201)
        handler.send_header("X-Subject-Token", "token-1")
        content = {"token": {"catalog": [_service("orchestration", stack), _service("messaging", stack)]}}
    elif one.is_progress:
        if stack.on_progress is not None:
            stack.on_progress(one.body["deploy_progress"])
        if stack.holds_progress is not None:
            stack.holds_progress.wait(PATIENCE)
        handler.send_response(200)
    else:
        handler.send_response(stack.answers.pop(0) if stack.answers else 200)
    handler.end_headers()
    handler.wfile.write(json.dumps(content).encode())


def _service(kind: str, stack: Stack) -> dict[str, Any]:
    elsewhere = {"interface": "public", "region": "elsewhere", "url": "http://127.0.0.1:1"}
    here = {"interface": "public", "region": "here", "url": f"{stack.url}/{kind}"}
    return {"type": kind, "endpoints": [elsewhere, here]}
