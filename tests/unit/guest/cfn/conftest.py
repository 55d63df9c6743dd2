"""A stack's API as the tools see it, and a folder in which they find a server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

ACCESS, SECRET = "access", "secret/key+"
RUN = """
import sys
from importlib import import_module
from calor_guest.cfn.places import Places
sys.exit(import_module("calor_guest.cfn." + sys.argv[1]).main(sys.argv[3:], Places(sys.argv[2])))
"""


@dataclass
class Request:
    verb: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def is_signed(self) -> bool:
        """As Calor and Keystone verify it."""
        params = dict(self.query)
        given = params.pop("Signature", "")
        query = "&".join(f"{_quoted(name)}={_quoted(params[name])}" for name in sorted(params))
        text = f"{self.verb}\n{self.headers['host']}\n{self.path}\n{query}"
        digest = hmac.digest(SECRET.encode(), text.encode(), hashlib.sha256)
        return params.get("AWSAccessKeyId") == ACCESS and given == base64.b64encode(digest).decode()


def _quoted(text: str) -> str:
    return quote(text, safe="-_~.")


@dataclass
class Api:
    """Answers everything with the same; remembers what it was asked."""

    body: bytes = b""
    status: list[int] = field(default_factory=lambda: [200])
    """Of each request; the last one stays."""
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        api = self
        self._of_resources: dict[str, bytes] = {}

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                pass

            def _answer(self) -> None:
                api._answer(self)

            do_GET = do_PUT = do_POST = _answer  # noqa: N815

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def has(self, metadata: object, resource: str = "") -> None:
        """For one resource, or all others."""
        detail = {"StackResourceDetail": {"Metadata": json.dumps(metadata)}}
        result = {"DescribeStackResourceResult": detail}
        body = json.dumps({"DescribeStackResourceResponse": result}).encode()
        if resource:
            self._of_resources[resource] = body
        else:
            self.body = body

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        query = dict(parse_qsl(parts.query))
        self.requests.append(Request(handler.command, parts.path, query, headers, body))
        answer = self._of_resources.get(query.get("LogicalResourceId", ""), self.body)
        status = self.status.pop(0) if len(self.status) > 1 else self.status[0]
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer)


@dataclass
class Guest:
    """The files of a server, and the tools that run on it."""

    root: Path

    def write(self, path: str, content: object) -> Path:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content))
        return target

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text()

    def knows(self, api: Api) -> None:
        self.write("/var/lib/heat-cfntools/cfn-metadata-server", f"{api.url}/v1/\n")
        self.write("/var/lib/heat-cfntools/cfn-boto-cfg", "[Boto]\ncfn_region_endpoint = 127.0.0.1\n")

    def run(self, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", RUN, module, str(self.root), *arguments],
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture
def api() -> Iterator[Api]:
    made = Api()
    yield made
    made.close()


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    made = Guest(tmp_path / "root")
    made.write("/var/log/boot.log", "")
    made.write("/var/lib/heat-cfntools/nova_meta.json", {"uuid": "server-1", "meta": {"role": "web"}})
    return made
