"""Serves apps on sockets until SIGTERM, then finishes the requests that have arrived and accepts no others."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calor.observe.process import watch_loop
from calor.server.readiness import report_ready
from calor.server.sockets import refuse_new_connections
from calor.server.write_gathering import GatheringTransport

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from calor.config.settings import Listening

LINGER_SECONDS = 0.2
FIRST_REQUEST_SECONDS = 2.0
"""How long to wait for the first request of connections that have not sent one."""
IDLE_SECONDS = 75
"""How long a connection may be idle: longer than proxies and clients allow, so that they close it first."""

log = logging.getLogger("calor")


@dataclass(frozen=True, slots=True)
class ServedApp:
    """An app, its socket, its certificate, and what to log when it is ready."""

    app: ASGIApp
    socket: socket.socket
    listening: Listening
    ready: str = ""


def serve(apps: Sequence[ServedApp], grace: float | None, *, owned: bool) -> None:
    """On shutdown, requests have `grace` seconds to finish; None waits for them. Sockets that are not `owned` are
    shared with other processes."""
    import uvicorn
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """No handlers of its own: all servers of the process are stopped together, below."""
            yield

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Closes idle connections, but first gives new ones time to send their request. New connections get no
            reply, then are refused."""
            if owned:
                for listening in sockets or ():
                    refuse_new_connections(listening)
            await asyncio.sleep(LINGER_SECONDS)
            end = time.monotonic() + FIRST_REQUEST_SECONDS
            while self._has_silent_connections() and time.monotonic() < end:
                await asyncio.sleep(0.02)
            await super().shutdown(sockets)

        def _has_silent_connections(self) -> bool:
            return any(one.cycle is None for one in self.server_state.connections)  # type: ignore[union-attr]

    class Protocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(GatheringTransport(transport, asyncio.get_running_loop()))

    stoppable = [StoppableStreams(one.app) for one in apps]
    servers = []
    for one, app in zip(apps, stoppable, strict=True):
        config = uvicorn.Config(
            app,
            http=Protocol,
            ssl_certfile=one.listening.cert_file,
            ssl_keyfile=one.listening.key_file,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="off",
            server_header=False,
            # The app itself decides whether to trust them.
            proxy_headers=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=None if grace is None else int(grace),
        )
        servers.append(Server(config))

    async def run() -> None:
        def stop() -> None:
            for server in servers:
                server.should_exit = True
            for app in stoppable:
                app.stop()

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
                report_ready(one.ready)
        await asyncio.gather(*tasks)
        lag.cancel()

    with asyncio.Runner(loop_factory=servers[0].config.get_loop_factory()) as runner:
        runner.run(run())


class StoppableStreams:
    """Wraps an app so that its endless event streams end on shutdown. Clients reconnect elsewhere with the id of the
    last event."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams: set[asyncio.Task[None]] = set()
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True
        for stream in self._streams:
            stream.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/events/stream"):
            await self._app(scope, receive, send)
            return
        started = False

        async def tracking_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        stream = asyncio.create_task(self._run(scope, receive, tracking_send))
        self._streams.add(stream)
        if self._stopped:
            stream.cancel()
        try:
            await asyncio.shield(stream)
        except asyncio.CancelledError:
            if not stream.cancelled():
                stream.cancel()
                raise
            if not started:
                await send(
                    {"type": "http.response.start", "status": 503, "headers": [(b"retry-after", b"1")]}
                )
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._streams.discard(stream)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
