"""Connections from servers: metadata requests, and connections that are forwarded to services of the host."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from errno import EINVAL
from functools import partial
from http import HTTPStatus
from typing import cast

from calor.localcloud.backend import MetadataHandler, MetadataRequest, MetadataResponse
from calor.localcloud.config import GUEST_SOURCE_ADDRESS, HostService
from calor.localcloud.linux.guest_limits import GuestLimits
from calor.localcloud.linux.rules import METADATA_ADDRESS

log = logging.getLogger("calor.localcloud")

_MAX_HEAD = 64 << 10
_MAX_BODY = 64 << 10
_IDLE_SECONDS = 65.0
_FORWARDING_IDLE_SECONDS = 300.0
"""Services may be slow to respond."""
BUFFER = 128 << 10
"""Bytes that the kernel keeps in each direction of a connection. Its memory for all of them together is limited."""

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[None]]
"""Also has the id of the server."""


def _limited(
    serve: Serve, limits: GuestLimits, network_id: str, service: str
) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """Closes connections beyond the limits."""

    async def limited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        owner = limits.owner(network_id, writer.get_extra_info("peername")[0])
        with limits.connection(owner, service, writer) as is_permitted:
            if is_permitted:
                await serve(reader, writer, owner)
            else:
                cast(asyncio.Transport, writer.transport).abort()

    return limited


def limit_buffers(connection: socket.socket) -> None:
    """What a listening socket accepts has the same limits."""
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        connection.setsockopt(socket.SOL_SOCKET, option, BUFFER // 2)


async def serve_metadata(
    listening: socket.socket, network_id: str, answer: MetadataHandler, limits: GuestLimits
) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, owner: str) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            address = writer.get_extra_info("peername")[0]
            pace = partial(limits.pace, owner)
            while await _serve_one(reader, writer, network_id, address, answer, pace):
                # Pipelined requests are read without waiting: yield to other connections.
                await asyncio.sleep(0)
        await close(writer)

    limit_buffers(listening)
    serving = _limited(serve, limits, network_id, METADATA_ADDRESS)
    return await asyncio.start_server(serving, sock=listening, limit=_MAX_HEAD)


async def _serve_one(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    network_id: str,
    address: str,
    answer: MetadataHandler,
    pace: Callable[[], Awaitable[None]],
) -> bool:
    """Returns whether the connection stays open."""
    async with asyncio.timeout(_IDLE_SECONDS):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    try:
        method, path, version = first.split(" ")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
    except ValueError:
        await _write(writer, _render(MetadataResponse(400, b"Bad Request"), "GET", keep_alive=False))
        return False
    if length > _MAX_BODY or length < 0:
        return False
    async with asyncio.timeout(_IDLE_SECONDS):
        body = await reader.readexactly(length)
    await pace()
    keep_alive = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    try:
        response = answer(MetadataRequest(network_id, address, method, path, headers, body))
    except Exception:
        log.exception("A metadata request failed")
        response = MetadataResponse(500, b"Internal Server Error")
    await _write(writer, _render(response, method, keep_alive=keep_alive))
    return keep_alive


async def _write(writer: asyncio.StreamWriter, response: bytes) -> None:
    """With a timeout, since servers need not read."""
    writer.write(response)
    async with asyncio.timeout(_IDLE_SECONDS):
        await writer.drain()


def _render(answer: MetadataResponse, method: str, *, keep_alive: bool) -> bytes:
    status = HTTPStatus(answer.status)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"Content-Type: {answer.content_type}\r\n"
        f"Content-Length: {len(answer.body)}\r\n"
        f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n\r\n"
    )
    return head.encode("latin-1") + (b"" if method == "HEAD" else answer.body)


async def forward_connections(
    listening: socket.socket, network_id: str, service: HostService, limits: GuestLimits
) -> asyncio.Server:
    has_warned = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, owner: str) -> None:
        nonlocal has_warned
        try:
            target = await _connect(service)
        except OSError as error:
            await close(writer)
            if not has_warned:
                log.warning("Servers cannot reach %s, port %d: %s", service.host, service.port, error)
                has_warned = True
            return
        limit_buffers(target[1].get_extra_info("socket"))
        await relay((reader, writer), target, _FORWARDING_IDLE_SECONDS)

    limit_buffers(listening)
    serving = _limited(serve, limits, network_id, f"{service.host}:{service.port}")
    return await asyncio.start_server(serving, sock=listening)


async def _connect(service: HostService) -> Streams:
    """Connects from GUEST_SOURCE_ADDRESS, except to IPv6 addresses and to other machines."""
    host, port = service.host, service.port
    look_up = partial(asyncio.get_running_loop().getaddrinfo, type=socket.SOCK_STREAM)
    try:
        found = await look_up(host, port)
    except socket.gaierror:
        if service.direct is None:
            raise
        host, port = service.direct
        found = await look_up(host, port)
    address = next((str(one[4][0]) for one in found if one[0] == socket.AF_INET), None)
    if address is not None:
        try:
            return await asyncio.open_connection(address, port, local_addr=(GUEST_SOURCE_ADDRESS, 0))
        except OSError as error:
            # Only this machine can be reached from a loopback address.
            if error.errno != EINVAL:
                raise
    return await asyncio.open_connection(host, port)


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def relay(one: Streams, other: Streams, seconds_idle: float | None = None) -> None:
    """Copies data in both directions until both ends have closed, or both are idle for too long."""
    loop = asyncio.get_running_loop()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds_idle) as timeout:

            def on_data() -> None:
                if seconds_idle is not None and not timeout.expired():
                    timeout.reschedule(loop.time() + seconds_idle)

            await asyncio.gather(_copy(one[0], other[1], on_data), _copy(other[0], one[1], on_data))
    await asyncio.gather(close(one[1]), close(other[1]))


async def _copy(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_data: Callable[[], None]
) -> None:
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            on_data()
            writer.write(data)
            await writer.drain()
        writer.write_eof()


async def close(writer: asyncio.StreamWriter) -> None:
    """Closes a connection. Data that the peer does not read in time is dropped."""
    writer.close()
    try:
        async with asyncio.timeout(_IDLE_SECONDS):
            await writer.wait_closed()
    except TimeoutError:
        writer.transport.abort()
    except OSError:
        pass
