"""An ASGI app for WSGI servers: its coroutines run in a thread of their own, and answers stream.

Only the thread of a request may read its body at some servers: it does so when the app asks for it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Scope

StartResponse = Callable[[str, list[tuple[str, str]]], object]
Messages = queue.SimpleQueue["Message | _Wanted | None"]
PIECE = 65_536


class _Wanted:
    """The app asks for a piece of the body."""

    def __init__(self) -> None:
        self.piece: Future[bytes] = Future()


class Bridge:
    def __init__(self, app: ASGIApp, largest_body: int) -> None:
        """What is behind the largest body, and one byte more by which the app sees it, is not read."""
        self._app = app
        self._largest = largest_body + 1
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="bridge", daemon=True).start()

    def __call__(self, environ: Mapping[str, Any], start_response: StartResponse) -> Answer:
        """Raises what the app raises before it answers."""
        messages: Messages = queue.SimpleQueue()
        body = _Body(environ, self._largest)
        answering = self._answer(scope_of(environ), messages)
        running = asyncio.run_coroutine_threadsafe(answering, self._loop)
        running.add_done_callback(lambda _: messages.put(None))
        start = body.next(messages)
        if start is None:
            running.result()
            raise RuntimeError("there was no answer")
        status = HTTPStatus(start["status"])
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start["headers"]]
        start_response(f"{status.value} {status.phrase}", headers)
        return Answer(messages, body, running)

    async def _answer(self, scope: Scope, messages: Messages) -> None:
        received = False

        async def receive() -> Message:
            nonlocal received
            if received:
                # A WSGI server does not tell that a client has gone; it closes the answer.
                await asyncio.Event().wait()
            wanted = _Wanted()
            messages.put(wanted)
            piece = await asyncio.wrap_future(wanted.piece)
            received = not piece
            return {"type": "http.request", "body": piece, "more_body": not received}

        async def send(message: Message) -> None:
            messages.put(message)

        await self._app(scope, receive, send)


class Answer:
    """The body of an answer, piece by piece."""

    def __init__(self, messages: Messages, body: _Body, running: Future[None]) -> None:
        self._messages = messages
        self._body = body
        self._running = running

    def __iter__(self) -> Iterator[bytes]:
        while (message := self._body.next(self._messages)) is not None:
            if piece := message.get("body", b""):
                yield piece
            if not message.get("more_body", False):
                return
        # Whoever reads must not take a part for the whole.
        self._running.result()

    def close(self) -> None:
        """Called by the server in any case, also if the client has gone."""
        self._running.cancel()


def scope_of(environ: Mapping[str, Any]) -> Scope:
    """A request as ASGI has it. Signatures are those of the path as it was sent, which PATH_INFO is no longer."""
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
    """The body of a request, read by the thread that this is used in."""

    def __init__(self, environ: Mapping[str, Any], largest: int) -> None:
        self._input = environ["wsgi.input"]
        stated = environ.get("CONTENT_LENGTH")
        # A body in chunks has no length; servers that can read one say so.
        ends = stated or environ.get("wsgi.input_terminated")
        self._left = min(int(stated or largest), largest) if ends else 0

    def next(self, messages: Messages) -> Message | None:
        """The next message of the app; meanwhile it gets what it asks for of the body."""
        while isinstance(message := messages.get(), _Wanted):
            try:
                message.piece.set_result(self._piece())
            except OSError as error:
                message.piece.set_exception(error)
        return message

    def _piece(self) -> bytes:
        piece: bytes = self._input.read(min(self._left, PIECE)) if self._left else b""
        self._left = self._left - len(piece) if piece else 0
        return piece


def _text(native: str) -> str:
    """PEP 3333 hands bytes over as text of latin-1."""
    return native.encode("latin-1").decode("utf-8", "replace")
