"""What a server asks, answered from a table."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Route = Callable[[Request], Answer]


@dataclass
class StandIn:
    url: str = ""
    routes: dict[str, Route] = field(default_factory=dict)
    """By `METHOD PATH`."""
    requests: list[Request] = field(default_factory=list)

    def asked(self, method: str, path: str) -> int:
        return sum((one.method, one.path) == (method, path) for one in self.requests)

    def answers(self, route: str, value: object, **headers: str) -> None:
        self.routes[route] = lambda request: as_json(value, **headers)

    def has_identity(self, **endpoints: str) -> None:
        """Log-in with a catalog of public endpoints, by type."""
        catalog = [
            {"type": kind, "endpoints": [{"interface": "public", "region": "R", "url": self.url + path}]}
            for kind, path in endpoints.items()
        ]
        self.answers("POST /v3/auth/tokens", {"token": {"catalog": catalog}}, **{"X-Subject-Token": "token"})

    def has_resource(self, metadata: object) -> None:
        """Of the CloudFormation API."""
        text = (
            "<DescribeStackResourceResponse><DescribeStackResourceResult><StackResourceDetail>"
            f"<Metadata>{escape(json.dumps(metadata))}</Metadata>"
            "</StackResourceDetail></DescribeStackResourceResult></DescribeStackResourceResponse>"
        )
        self.routes["GET /v1/"] = lambda request: Answer(text.encode())


def as_json(value: object, status: int = 200, **headers: str) -> Answer:
    return Answer(json.dumps(value).encode(), status, headers)


@contextmanager
def stand_in() -> Iterator[StandIn]:
    made = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            request = Request(self.command, parts.path, query, headers, body)
            made.requests.append(request)
            route = made.routes.get(f"{request.method} {request.path}")
            found = route(request) if route else Answer(status=404)
            self.send_response(found.status)
            for name, value in {"Content-Length": str(len(found.body)), **found.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(found.body)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer  # noqa: N815

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
