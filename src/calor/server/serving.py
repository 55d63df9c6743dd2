"""Serves applications on sockets until SIGTERM: requests under way are finished, no others are accepted."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calor.observe.process import watch_loop
from calor.server.readiness import say_ready
from calor.server.sockets import turn_away

if TYPE_CHECKING:
    from calor.config.settings import Listening

LINGER_SECONDS = 0.2

log = logging.getLogger("calor")


@dataclass(frozen=True, slots=True)
class Served:
    """An app, the socket it answers on, its certificate, and what to say when it does."""

    app: Any
    socket: socket.socket
    listening: Listening
    ready: str = ""


def serve(apps: Sequence[Served], grace: float | None, *, owned: bool) -> None:
    """Requests that take longer than the grace, if there is one, when they are to end are given up. Sockets that are
    not owned are used by other processes, too."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Several servers run here: they are stopped together, below."""
            yield

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Connections without a request are closed here, also those that are a moment old: they are given the
            time to send it. Clients that come now meet nobody, and then a closed door."""
            if owned:
                for listening in sockets or ():
                    turn_away(listening)
            await asyncio.sleep(LINGER_SECONDS)
            await super().shutdown(sockets)

    endings = [EndingStreams(one.app) for one in apps]
    servers = []
    for one, app in zip(apps, endings, strict=True):
        config = uvicorn.Config(
            app,
            ssl_certfile=one.listening.cert_file,
            ssl_keyfile=one.listening.key_file,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="off",
            server_header=False,
            # The app itself decides whom to believe.
            proxy_headers=False,
            timeout_graceful_shutdown=None if grace is None else int(grace),
        )
        servers.append(Server(config))

    async def run() -> None:
        def stop() -> None:
            for server in servers:
                server.should_exit = True
            for app in endings:
                app.end()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        lag = asyncio.ensure_future(watch_loop())
        tasks = [
            asyncio.ensure_future(server.serve([one.socket]))
            for server, one in zip(servers, apps, strict=True)
        ]
        while not all(server.started for server in servers) and not any(task.done() for task in tasks):
            await asyncio.sleep(0.01)
        for one in apps:
            if one.ready:
                say_ready(one.ready)
        await asyncio.gather(*tasks)
        lag.cancel()

    with asyncio.Runner(loop_factory=servers[0].config.get_loop_factory()) as runner:
        runner.run(run())


class EndingStreams:
    """An app whose streams of events end when it is to stop; they have no end of their own. Who reads one goes on
    elsewhere, behind the last event that came."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._streams: set[asyncio.Task[None]] = set()
        self._ended = False

    def end(self) -> None:
        self._ended = True
        for stream in self._streams:
            stream.cancel()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/events/stream"):
            await self._app(scope, receive, send)
            return
        begun = False

        async def noting_send(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        stream = asyncio.ensure_future(self._app(scope, receive, noting_send))
        self._streams.add(stream)
        if self._ended:
            stream.cancel()
        try:
            await asyncio.shield(stream)
        except asyncio.CancelledError:
            if not stream.cancelled():
                stream.cancel()
                raise
            if not begun:
                await send(
                    {"type": "http.response.start", "status": 503, "headers": [(b"retry-after", b"1")]}
                )
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._streams.discard(stream)
