"""A service as others run it: it passes requests on to the server, but knows nothing of what Heat does not have.
Beside it is an object store that remembers what was put there."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class OlderService:
    def __init__(self, url: str) -> None:
        self.behind = url
        self.asked: list[str] = []
        self.stored: dict[str, dict[str, str]] = {}
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service.asked.append(f"{self.command} {self.path.partition('?')[0]}")
                if self.path.startswith("/store"):
                    self.store()
                elif "/events/stream" in self.path:
                    self.reply(404, {}, b'{"code": "404 Not Found", "title": "Not Found", "message": "no"}')
                elif b'"retry"' in body:
                    self.reply(
                        400, {}, b'{"code": 400, "error": {"message": "Invalid action retry specified"}}'
                    )
                else:
                    self.pass_on(body)

            def store(self) -> None:
                kept = service.stored.setdefault(self.path, {})
                kept.update(
                    {name: value for name, value in self.headers.items() if name.startswith("x-account")}
                )
                self.reply(204 if self.command in ("HEAD", "POST") else 201, kept, b"")

            def pass_on(self, body: bytes) -> None:
                headers = {
                    name: value
                    for name, value in self.headers.items()
                    if name.lower() not in ("host", "content-length", "connection")
                }
                request = urllib.request.Request(
                    service.behind + self.path, body or None, headers, method=self.command
                )
                try:
                    with _OPENER.open(request, timeout=30) as found:
                        status, heads, content = found.status, dict(found.headers), found.read()
                except urllib.error.HTTPError as error:
                    status, heads, content = error.code, dict(error.headers), error.read()
                self.reply(status, _kept(heads), _plainer(content))

            def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


def _kept(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() in ("location", "content-type")}


def _plainer(content: bytes) -> bytes:
    """Without the plan and the diagnostics that only this server gives."""
    try:
        body = json.loads(content)
    except ValueError:
        return content
    if isinstance(body, dict):
        body.pop("plan", None)
        body.pop("diagnostics", None)
        if isinstance(body.get("stack"), dict):
            body["stack"].pop("plan", None)
    return json.dumps(body).encode()
