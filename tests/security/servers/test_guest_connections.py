"""Servers that keep connections to the metadata service, or to a service of the host, which they do not use."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from calor.localcloud.backend import MetadataRequest, MetadataResponse
from calor.localcloud.config import HostService
from calor.localcloud.linux import guest_connections

Service = Callable[[], AbstractAsyncContextManager[int]]
PATIENCE = 60.0
ASKING = b"GET / HTTP/1.1\r\n\r\n"
MUCH = b"x" * (1 << 20)


def _listening() -> socket.socket:
    made = socket.create_server(("127.0.0.1", 0), backlog=1024)
    made.setblocking(False)
    return made


def _answer(question: MetadataRequest) -> MetadataResponse:
    return MetadataResponse(200, MUCH if question.path == "/much" else b"told")


@asynccontextmanager
async def metadata() -> AsyncIterator[int]:
    listening = _listening()
    port = listening.getsockname()[1]
    server = await guest_connections.serve_metadata(listening, "net", _answer)
    yield port
    server.close()


@asynccontextmanager
async def host_service() -> AsyncIterator[int]:
    """To a service that waits for whoever says something."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (await reader.read(1 << 16)).endswith(b"\r\n\r\n"):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as behind:
        listening = _listening()
        port = listening.getsockname()[1]
        server = await guest_connections.forward_connections(
            listening, HostService("127.0.0.1", behind.sockets[0].getsockname()[1])
        )
        yield port
        server.close()


async def connected(port: int, address: str) -> guest_connections.Streams:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


async def told(ends: guest_connections.Streams) -> bool:
    ends[1].write(ASKING)
    try:
        return (await ends[0].read(1 << 16)).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False


async def is_closed(ends: guest_connections.Streams) -> None:
    try:
        while await ends[0].read(1 << 16):
            pass
    except ConnectionError:
        pass


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def timed() -> None:
        async with asyncio.timeout(PATIENCE):
            await scenario()

    asyncio.run(timed())


@pytest.mark.parametrize("service", [metadata, host_service])
def test_connections_are_limited_by_server(service: Service) -> None:
    async def scenario() -> None:
        async with service() as port:
            hostile = [await connected(port, "127.0.0.2") for _ in range(600)]
            assert await told(await connected(port, "127.0.0.3"))
            # What is closed makes room again.
            for _, writer in hostile:
                writer.close()
            while not await told(await connected(port, "127.0.0.2")):
                await asyncio.sleep(0.01)

    run(scenario)


@pytest.mark.parametrize("service", [metadata, host_service])
@pytest.mark.parametrize("begun", [b"", b"GET / HT"])
def test_idle_connections_are_closed(monkeypatch: pytest.MonkeyPatch, service: Service, begun: bytes) -> None:
    monkeypatch.setattr(guest_connections, "_IDLE_SECONDS", 0.1 if service is metadata else PATIENCE)
    monkeypatch.setattr(guest_connections, "_FORWARDING_IDLE_SECONDS", 0.1)

    async def scenario() -> None:
        async with service() as port:
            ends = await connected(port, "127.0.0.2")
            ends[1].write(begun)
            await is_closed(ends)

    run(scenario)


def test_clients_that_do_not_read_are_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_connections, "_IDLE_SECONDS", 0.1)

    async def scenario() -> None:
        async with metadata() as port:
            deaf = socket.create_connection(("127.0.0.1", port))
            deaf.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(deaf, b"GET /much HTTP/1.1\r\n\r\n" * 20)
            # There is a task for each connection, beside this one.
            while len(asyncio.all_tasks()) == 1:
                await asyncio.sleep(0.01)
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0.01)
            deaf.close()

    run(scenario)
