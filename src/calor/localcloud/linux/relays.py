"""Floating addresses without root: loopback addresses of the host, on which this process listens on the same TCP ports
as the server, and relays connections."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from calor.localcloud.backend import BackendError
from calor.localcloud.linux.guest_connections import Streams, close, relay
from calor.localcloud.linux.link import Link, NoHolder

log = logging.getLogger("calor.localcloud")

_ACTIVE_INTERVAL, _IDLE_INTERVAL, _ACTIVE_SECONDS = 0.1, 1.0, 20.0
_FIRST_OPEN_PORT, _ALTERNATIVE = 1024, 8000
_CONNECT_SECONDS = 10.0
_MAX_PORTS = 256
"""The relayed ports of one server: each needs a socket of the host."""

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Published:
    """A floating address, the external network it is in, and the port of the server behind it."""

    address: str
    network_id: str
    port_id: str


class Relays:
    """`published` is called to list the floating addresses."""

    def __init__(self, link: Link, published: Callable[[], Iterable[Published]]) -> None:
        self._link = link
        self._published = published
        self._open: dict[tuple[str, int], asyncio.Server] = {}
        self._refused: set[tuple[str, int]] = set()
        self._awake_until = 0.0
        self._woken = asyncio.Event()
        self._has_warned = False

    def wake(self) -> None:
        """Polls the ports of servers more often for a while."""
        self._awake_until = time.monotonic() + _ACTIVE_SECONDS
        self._woken.set()

    async def run(self) -> None:
        try:
            while True:
                with suppress(NoHolder):
                    await self._update()
                awake = time.monotonic() < self._awake_until
                self._woken.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), _ACTIVE_INTERVAL if awake else _IDLE_INTERVAL)
        finally:
            for server in self._open.values():
                server.close()

    async def _update(self) -> None:
        published = {one.port_id: one for one in self._published()}
        listening: Mapping[str, list[int]] = {}
        if published:
            listening = await self._link.ask("listening_ports", ports=list(published))
        wanted = {
            (published[port_id].address, port): published[port_id]
            for port_id, ports in listening.items()
            for port in ports[:_MAX_PORTS]
        }
        for place in self._open.keys() - wanted.keys():
            self._open.pop(place).close()
        self._refused &= wanted.keys()
        for (address, port), one in wanted.items():
            if (address, port) not in self._open and (address, port) not in self._refused:
                await self._publish(one, port, taken=frozenset(listening[one.port_id]))

    async def _publish(self, one: Published, port: int, taken: frozenset[int]) -> None:
        alternative = port + _ALTERNATIVE
        places = [port]
        if port < _FIRST_OPEN_PORT and alternative not in taken:
            places.append(alternative)
        for place in places:
            try:
                server = await asyncio.start_server(self._serving(one, port), one.address, place)
            except OSError as error:
                problem = error
                continue
            self._open[one.address, port] = server
            if place != port and not self._has_warned:
                self._has_warned = True
                log.warning(
                    "Ports below %s need root: port %s of %s is relayed at port %s",
                    *(_FIRST_OPEN_PORT, port, one.address, place),
                )
            return
        self._refused.add((one.address, port))
        log.warning("Port %s of %s cannot be relayed: %s", port, one.address, problem)

    def _serving(self, one: Published, port: int) -> Serve:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                target = await self._connect(one, port)
            except (OSError, BackendError, TimeoutError):
                await close(writer)
                return
            await relay((reader, writer), target)

        return serve

    async def _connect(self, one: Published, port: int) -> Streams:
        _, files = await self._link.ask_for_files(
            "connect", network=one.network_id, address=one.address, port=port
        )
        connecting = socket.socket(fileno=files[0])
        try:
            connecting.setblocking(False)
            async with asyncio.timeout(_CONNECT_SECONDS):
                await _wait_writable(connecting)
            code = connecting.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, "the server does not respond")
            return await asyncio.open_connection(sock=connecting)
        except BaseException:
            connecting.close()
            raise


async def _wait_writable(connecting: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def is_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_writer(connecting, is_ready)
    try:
        await ready
    finally:
        loop.remove_writer(connecting)
