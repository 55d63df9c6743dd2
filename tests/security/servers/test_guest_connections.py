"""Servers that keep connections to the metadata service, or to a service of the host, which they do not use."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import pytest

from calor.localcloud.backend import MetadataRequest, MetadataResponse
from calor.localcloud.config import HostService
from calor.localcloud.linux import guest_connections, guest_limits
from calor.localcloud.linux.guest_limits import GuestLimits

Service = Callable[[], AbstractAsyncContextManager[int]]
PATIENCE = 60.0
ASKING = b"GET / HTTP/1.1\r\n\r\n"
MUCH = b"x" * (1 << 20)


def _listening() -> socket.socket:
    made = socket.create_server(("127.0.0.1", 0), backlog=1024)
    made.setblocking(False)
    return made


def limits() -> GuestLimits:
    """Of servers with one address each."""
    return GuestLimits(lambda network_id, address: address)


def _answer(question: MetadataRequest) -> MetadataResponse:
    return MetadataResponse(200, MUCH if question.path == "/much" else b"told")


@asynccontextmanager
async def metadata() -> AsyncIterator[int]:
    listening = _listening()
    port = listening.getsockname()[1]
    server = await guest_connections.serve_metadata(listening, "net", _answer, limits())
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
            listening, "net", HostService("127.0.0.1", behind.sockets[0].getsockname()[1]), limits()
        )
        yield port
        server.close()


async def connected(port: int, address: str) -> guest_connections.Streams:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


async def reported(ends: guest_connections.Streams) -> bool:
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
            assert await reported(await connected(port, "127.0.0.3"))
            # What is closed makes room again.
            for _, writer in hostile:
                writer.close()
            while not await reported(await connected(port, "127.0.0.2")):
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


def test_a_server_with_many_addresses_has_no_more_connections() -> None:
    """Whether it has them in one network or in several."""
    servers = {f"127.0.1.{last}": "hostile" for last in range(1, 31)}
    shared = GuestLimits(lambda network_id, address: servers.get(address, address))

    async def scenario() -> None:
        listening = [_listening(), _listening()]
        ports = [one.getsockname()[1] for one in listening]
        networks = [
            await guest_connections.serve_metadata(one, f"net{number}", _answer, shared)
            for number, one in enumerate(listening)
        ]
        ends = [await connected(port, address) for port in ports for address in servers]
        answered = await asyncio.gather(*(reported(one) for one in ends))
        assert sum(answered) == guest_limits.MOST_PER_SERVICE
        assert await reported(await connected(ports[0], "127.0.0.3"))
        for network in networks:
            network.close()

    run(scenario)


def test_unknown_addresses_share_the_limits_of_one_server() -> None:
    found = GuestLimits(lambda network_id, address: None)
    assert (
        found.owner("net", "10.0.0.1") == found.owner("net", "10.0.0.2") != found.owner("other", "10.0.0.1")
    )


def test_a_server_gets_a_connection_although_others_have_taken_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_limits, "MOST_CONNECTIONS", 20)

    async def scenario() -> None:
        async with host_service() as port:
            hostile = [await connected(port, f"127.0.0.{2 + number % 2}") for number in range(40)]
            while not await reported(await connected(port, "127.0.0.9")):
                await asyncio.sleep(0.01)
            open_ones = [ends for ends in hostile if not ends[0].at_eof()]
            assert open_ones

    run(scenario)


def test_metadata_requests_of_a_server_are_slowed_down_but_not_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(guest_limits, "asyncio", type("Clock", (), {"sleep": staticmethod(sleep)}))
    monkeypatch.setattr(guest_limits, "time", type("Clock", (), {"monotonic": staticmethod(lambda: 100.0)}))

    async def scenario() -> None:
        busy = limits()
        for _ in range(guest_limits.REQUESTS_AT_ONCE):
            await busy.pace("hostile")
        assert waits == []
        for _ in range(guest_limits.REQUESTS_PER_SECOND):
            await busy.pace("hostile")
        assert waits[-1] == pytest.approx(1.0)
        waits.clear()
        await busy.pace("other")
        assert waits == []

    run(scenario)


def test_the_buffers_of_connections_are_limited() -> None:
    """The kernel would let them grow to several MiB each, on both sides of the relay."""

    async def scenario() -> None:
        behind = _listening()
        heard: list[socket.socket] = []
        listening = _listening()
        service = HostService("127.0.0.1", behind.getsockname()[1])
        server = await guest_connections.forward_connections(listening, "net", service, limits())
        client = socket.create_connection(listening.getsockname())
        client.setblocking(False)
        heard.append((await asyncio.get_running_loop().sock_accept(behind))[0])
        sent = 0
        # Nobody reads at the other end.
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                while sent < 64 << 20:
                    await asyncio.get_running_loop().sock_sendall(client, MUCH)
                    sent += len(MUCH)
        held_at_the_ends = sum(
            one.getsockopt(socket.SOL_SOCKET, option)
            for one, option in ((client, socket.SO_SNDBUF), (heard[0], socket.SO_RCVBUF))
        )
        assert sent < held_at_the_ends + (2 << 20)
        for end in (client, *heard, behind):
            end.close()
        server.close()

    run(scenario)
