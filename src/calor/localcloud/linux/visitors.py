"""Those who come from servers: they ask for metadata, or are led through a door to a service of the host."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from errno import EINVAL
from http import HTTPStatus

from calor.localcloud.config import SERVERS_COME_FROM
from calor.localcloud.machinery import AnswerMetadata, MetadataAnswer, MetadataQuestion

log = logging.getLogger("calor.localcloud")

_LONGEST_HEAD = 64 << 10
_LONGEST_BODY = 64 << 10
_SECONDS_IDLE = 65.0
_MOST_AT_ONCE = 256
"""Connections to one service from the servers of one network."""

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def _limited(serve: Serve) -> Serve:
    """Closes connections beyond those that are served at once."""
    served = 0

    async def limited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        if served >= _MOST_AT_ONCE:
            await closed(writer)
            return
        served += 1
        try:
            await serve(reader, writer)
        finally:
            served -= 1

    return limited


async def serve_metadata(listening: socket.socket, network_id: str, answer: AnswerMetadata) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            address = writer.get_extra_info("peername")[0]
            while await _serve_one(reader, writer, network_id, address, answer):
                # Requests that have arrived already are read without waiting: others get their turn here.
                await asyncio.sleep(0)
        await closed(writer)

    return await asyncio.start_server(_limited(serve), sock=listening, limit=_LONGEST_HEAD)


async def _serve_one(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    network_id: str,
    address: str,
    answer: AnswerMetadata,
) -> bool:
    """Whether another may follow."""
    async with asyncio.timeout(_SECONDS_IDLE):
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
        writer.write(_written(MetadataAnswer(400, b"Bad Request"), "GET", keeps=False))
        await writer.drain()
        return False
    if length > _LONGEST_BODY or length < 0:
        return False
    async with asyncio.timeout(_SECONDS_IDLE):
        body = await reader.readexactly(length)
    keeps = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    try:
        found = answer(MetadataQuestion(network_id, address, method, path, headers, body))
    except Exception:
        log.exception("Metadata could not be told")
        found = MetadataAnswer(500, b"Internal Server Error")
    writer.write(_written(found, method, keeps=keeps))
    await writer.drain()
    return keeps


def _written(answer: MetadataAnswer, method: str, *, keeps: bool) -> bytes:
    status = HTTPStatus(answer.status)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"Content-Type: {answer.content_type}\r\n"
        f"Content-Length: {len(answer.body)}\r\n"
        f"Connection: {'keep-alive' if keeps else 'close'}\r\n\r\n"
    )
    return head.encode("latin-1") + (b"" if method == "HEAD" else answer.body)


async def serve_door(listening: socket.socket, host: str, port: int) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await _opened(host, port)
        except OSError:
            await closed(writer)
            return
        await joined((reader, writer), there)

    return await asyncio.start_server(_limited(serve), sock=listening)


async def _opened(host: str, port: int) -> Ends:
    """Marked as coming from a server. That cannot be done for IPv6, nor for another machine."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    address = next((str(one[4][0]) for one in found if one[0] == socket.AF_INET), None)
    if address is not None:
        try:
            return await asyncio.open_connection(address, port, local_addr=(SERVERS_COME_FROM, 0))
        except OSError as error:
            # From an address of the loopback range only this machine can be reached.
            if error.errno != EINVAL:
                raise
    return await asyncio.open_connection(host, port)


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def joined(one: Ends, other: Ends) -> None:
    """Passes on what either says, until both have said everything."""
    await asyncio.gather(_passed(one[0], other[1]), _passed(other[0], one[1]))
    await closed(one[1])
    await closed(other[1])


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.write_eof()


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
