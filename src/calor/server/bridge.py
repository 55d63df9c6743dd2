"""Runs an ASGI app in WSGI servers: its coroutines run in one background thread, and responses are streamed.

In some servers only the request's thread may read the body: it does so when the app receives.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from http import HTTPStatus
from urllib.parse import urlsplit
from wsgiref.types import InputStream, WSGIEnvironment

from starlette.types import ASGIApp, Message, Scope

StartResponse = Callable[[str, list[tuple[str, str]]], object]
Messages = queue.SimpleQueue["Message | _BodyRequest | None"]
CHUNK_SIZE = 65_536


class _BodyRequest:
    """The app's request for the next chunk of the body."""

    def __init__(self) -> None:
        self.chunk: Future[bytes] = Future()


class Bridge:
    def __init__(self, app: ASGIApp, largest_body: int) -> None:
        """Reads one byte more than `largest_body` of a request, by which the app notices that it is too large."""
        self._app = app
        self._largest = largest_body + 1
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="bridge", daemon=True).start()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> StreamedResponse:
        """Raises what the app raises before it responds."""
        messages: Messages = queue.SimpleQueue()
        body = _Body(environ, self._largest)
        answering = self._answer(scope_of(environ), messages)
        running = asyncio.run_coroutine_threadsafe(answering, self._loop)
        running.add_done_callback(lambda _: messages.put(None))
        start = body.next(messages)
        if start is None:
            running.result()
            raise RuntimeError("the app sent no response")
        status = HTTPStatus(start["status"])
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start["headers"]]
        start_response(f"{status.value} {status.phrase}", headers)
        return StreamedResponse(messages, body, running)

    async def _answer(self, scope: Scope, messages: Messages) -> None:
        received = False

        async def receive() -> Message:
            nonlocal received
            if received:
                # A WSGI server does not report a disconnected client; it closes the response.
                await asyncio.Event().wait()
            request = _BodyRequest()
            messages.put(request)
            chunk = await asyncio.wrap_future(request.chunk)
            received = not chunk
            return {"type": "http.request", "body": chunk, "more_body": not received}

        async def send(message: Message) -> None:
            messages.put(message)

        await self._app(scope, receive, send)


class StreamedResponse:
    """The body of a response, in chunks."""

    def __init__(self, messages: Messages, body: _Body, running: Future[None]) -> None:
        self._messages = messages
        self._body = body
        self._running = running

    def __iter__(self) -> Iterator[bytes]:
        while (message := self._body.next(self._messages)) is not None:
            if chunk := message.get("body", b""):
                yield chunk
            if not message.get("more_body", False):
                return
        # Raise: the client must not take a truncated body for a complete one.
        self._running.result()

    def close(self) -> None:
        """Called by the server in any case, even if the client has disconnected."""
        self._running.cancel()


def scope_of(environ: WSGIEnvironment) -> Scope:
    """The ASGI scope of a WSGI request. Its raw path is needed to verify signatures; PATH_INFO is decoded."""
    root = _text(environ.get("SCRIPT_NAME", ""))
    path = root + _text(environ.get("PATH_INFO", ""))
    sent = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    headers = [
        (name.removeprefix("HTTP_").replace("_", "-").lower().encode("latin-1"), str(value).encode("latin-1"))
        for name, value in environ.items()
        if (name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")) and value != ""
    ]
    client = environ.get("REMOTE_ADDR")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": environ.get("SERVER_PROTOCOL", "HTTP/1.1").partition("/")[2],
        "method": environ["REQUEST_METHOD"],
        "scheme": environ.get("wsgi.url_scheme", "http"),
        "path": path,
        "raw_path": urlsplit(sent).path.encode("latin-1") if sent else None,
        "query_string": environ.get("QUERY_STRING", "").encode("latin-1"),
        "root_path": root,
        "headers": headers,
        "server": (environ["SERVER_NAME"], int(environ["SERVER_PORT"])),
        "client": (client, int(environ.get("REMOTE_PORT") or 0)) if client else None,
    }


class _Body:
    """The body of a request, read in the calling thread."""

    def __init__(self, environ: WSGIEnvironment, largest: int) -> None:
        self._input: InputStream = environ["wsgi.input"]
        length = environ.get("CONTENT_LENGTH")
        # A chunked body has no length; servers that can read one set wsgi.input_terminated.
        ends = length or environ.get("wsgi.input_terminated")
        self._left = min(int(length or largest), largest) if ends else 0

    def next(self, messages: Messages) -> Message | None:
        """The app's next message; serves its requests for the body meanwhile."""
        while isinstance(message := messages.get(), _BodyRequest):
            try:
                message.chunk.set_result(self._read())
            except OSError as error:
                message.chunk.set_exception(error)
        return message

    def _read(self) -> bytes:
        chunk: bytes = self._input.read(min(self._left, CHUNK_SIZE)) if self._left else b""
        self._left = self._left - len(chunk) if chunk else 0
        return chunk


def _text(native: str) -> str:
    """PEP 3333 passes bytes as latin-1 text."""
    return native.encode("latin-1").decode("utf-8", "replace")
