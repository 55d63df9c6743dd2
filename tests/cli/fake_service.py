"""A service that answers as a test tells it to, also as services in trouble do."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    what: str
    headers: Mapping[str, str]


HANG_UP = Reply(0)
"""No answer at all."""


def reported(content: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(status, json.dumps(content).encode(), headers)


def refusal(status: int, message: str = "no") -> Reply:
    return reported({"error": {"type": "Refused", "message": message}}, status)


def stack(name: str, state: str, reason: str = "") -> Reply:
    shown = {"id": f"{name}-id", "stack_name": name, "stack_status": state, "stack_status_reason": reason}
    return reported({"stack": shown})


def event(number: int, status: str, name: str = "web") -> dict[str, Any]:
    """An event of a stack itself."""
    return {
        "id": f"event-{number}",
        "event_time": "2026-01-01T12:00:00Z",
        "resource_name": name,
        "resource_status": status,
        "resource_status_reason": f"number {number}",
        "physical_resource_id": f"{name}-id",
        "links": [{"rel": "stack", "href": f"http://somewhere/v1/p/stacks/{name}/{name}-id"}],
    }


def message(number: int, status: str) -> bytes:
    return f"id: {number}\nevent: event\ndata: {json.dumps(event(number, status))}\n\n".encode()


END = b'event: end\ndata: {"stack_id": "web-id"}\n\n'


class StandIn:
    """Each request is answered by what is said for it in turn, the last again and again; others with 404."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._replies: dict[str, list[Reply]] = {}
        service = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                what = f"{self.command} {self.path.partition('?')[0]}"
                service.asked.append(Asked(what, dict(self.headers)))
                reply = service._reply(what)
                if reply is HANG_UP:
                    return
                # The body ends with the connection: so does one that is cut off.
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def says(self, what: str, *replies: Reply) -> None:
        self._replies[what] = list(replies)

    def has(self, name: str, *states: Reply) -> None:
        """A stack that can be acted on."""
        path = f"/stacks/{name}/{name}-id"
        self.says(f"GET /stacks/{name}", Reply(302, headers={"Location": f"{self.url}{path}"}))
        self.says(f"GET {path}", *states)
        self.says(f"GET {path}/events", reported({"events": []}))
        self.says(f"GET {path}/resources", reported({"resources": []}))
        self.says(f"POST {path}/actions", Reply(202))

    def times(self, what: str) -> int:
        return sum(one.what == what for one in self.asked)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, what: str) -> Reply:
        left = self._replies.get(what) or [refusal(404)]
        return left.pop(0) if len(left) > 1 else left[0]
