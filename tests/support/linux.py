"""A machinery that really runs servers, and the small world around it."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from calor.localcloud.backend import (
    Address,
    Leg,
    MetadataRequest,
    MetadataResponse,
    NetworkPlan,
    Permission,
    PortPlan,
    RouterPlan,
    ServerPlan,
    SubnetPlan,
)
from calor.localcloud.config import HostService
from calor.localcloud.linux.backend import Linux
from calor.localcloud.linux.link import NoHolder

PATIENCE = 60.0
EVERYTHING_OUT = (Permission("egress", 4), Permission("egress", 6))
PING_AND = (*EVERYTHING_OUT, Permission("ingress", 4, "icmp"))

T = TypeVar("T")


def web(*ports: int) -> tuple[Permission, ...]:
    return (*PING_AND, *(Permission("ingress", 4, "tcp", (port, port)) for port in ports))


def eventually(look: Callable[[], T], what: str | Callable[[], str]) -> T:
    """What is found once it is true."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"it never came to be: {what if isinstance(what, str) else what()}")
        time.sleep(0.05)


@dataclass
class Machine:
    """A machinery, whose loop runs in a thread of its own."""

    folder: Path
    host_services: tuple[HostService, ...] = ()
    asked: list[MetadataRequest] = field(default_factory=list)
    died: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._numbers = iter(range(1, 250))
        self.linux: Linux
        self.begin()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(PATIENCE)

    def begin(self) -> None:
        async def make() -> Linux:
            made = Linux(self.folder, self.host_services)
            await made.start(self._answer, self._died)
            return made

        self.linux = self.do(make())

    def restart(self) -> None:
        """As if the cloud had been started anew; servers are not told."""
        self.do(self.linux.stop())
        self.begin()

    def stop(self) -> None:
        if not self._thread.is_alive():
            return
        try:
            self.do(self.linux.stop())
            self.do(self.linux._link.ask("stop"))
        except NoHolder:
            pass
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)

    def _answer(self, question: MetadataRequest) -> MetadataResponse:
        self.asked.append(question)
        return MetadataResponse(200, f"{question.network_id} {question.address}".encode())

    def _died(self, id: str) -> Awaitable[None]:
        async def note() -> None:
            self.died.append(id)

        return note()

    @property
    def outside(self) -> str:
        """The first three numbers of external addresses."""
        return self.linux.external_cidr.rpartition(".")[0]

    def network(self, id: str = "net", cidr: str = "10.0.0.0/24") -> str:
        gateway = cidr.replace(".0/", ".1/").partition("/")[0]
        self.do(self.linux.set_network(NetworkPlan(id, (SubnetPlan(cidr, gateway),))))
        return id

    def public(self) -> None:
        subnet = SubnetPlan(self.linux.external_cidr, f"{self.outside}.1")
        self.do(self.linux.set_network(NetworkPlan("public", (subnet,), external=True)))

    def router(
        self, network: str = "net", *floating: tuple[str, str], id: str = "router", last: int = 10
    ) -> None:
        leg = Leg(f"leg-{id}", network, "fa:16:3e:00:01:01", "10.0.0.1", 24)
        gateway = Leg(f"out-{id}", "public", f"fa:16:3e:00:02:{last:02x}", f"{self.outside}.{last}", 24)
        plan = RouterPlan(id, (leg,), gateway, f"{self.outside}.1", floating=floating)
        self.do(self.linux.set_router(plan))

    def port(
        self,
        address: str,
        network: str = "net",
        permissions: tuple[Permission, ...] = PING_AND,
        id: str | None = None,
    ) -> PortPlan:
        last = int(address.rpartition(".")[2])
        mac = f"fa:16:3e:00:00:{last:02x}"
        gateway = address.rpartition(".")[0] + ".1"
        return PortPlan(
            *(id or f"{network}-{last}", network, mac, (Address(address, 24, gateway),)),
            permissions=permissions,
        )

    def plan(self, id: str, *ports: PortPlan, **more: Any) -> ServerPlan:
        image, name = more.pop("image", None), more.pop("image_name", "debian-12")
        vcpus, memory = more.pop("vcpus", 1), more.pop("memory_mb", 256)
        return ServerPlan(id, id, id, image, name, vcpus, memory, 1, ports, **more)

    def boot(self, id: str, *ports: PortPlan, script: str = "", **more: Any) -> ServerPlan:
        if script:
            more["user_data"] = f"#!/bin/sh\n{script}\n".encode()
        fresh = more.pop("fresh", False)
        plan = self.plan(id, *ports, **more)
        self.do(self.linux.boot(plan, fresh))
        return plan

    def console(self, id: str) -> str:
        return self.do(self.linux.console(id))

    def finished(self, id: str, times: int = 1) -> str:
        """The console of a server that has booted so many times."""
        eventually(
            lambda: self.console(id).count(" login: ") >= times, lambda: f"{id} boots: {self.console(id)}"
        )
        return self.console(id)

    def said(self, id: str, words: str) -> str:
        eventually(lambda: words in self.console(id), lambda: f"{id} says {words}: {self.console(id)}")
        return self.console(id)

    def run(self, id: str, command: str) -> subprocess.CompletedProcess[str]:
        """A command in a server."""
        program = (
            "import sys; from pathlib import Path; from calor.localcloud.linux.shells import run_in;"
            "sys.exit(run_in(Path(sys.argv[1]), sys.argv[2], ['/bin/sh', '-c', sys.argv[3]], terminal=False))"
        )
        return subprocess.run(
            [sys.executable, "-c", program, str(self.folder), id, command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def out(self, id: str, command: str) -> str:
        done = self.run(id, command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def holder(self) -> int | None:
        """The number of the holder's process, if there is one."""
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"calor.localcloud.linux.holder" in words and str(self.folder).encode() in words:
                return int(process.name)
        return None

    def kill_holder(self) -> None:
        holder = self.holder()
        assert holder is not None
        os.kill(holder, signal.SIGKILL)


def get(address: str, port: int, path: str = "/", timeout: float = 2.0) -> str | None:
    """What a web server says, or nothing."""
    connection = http.client.HTTPConnection(address, port, timeout=timeout)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class Listener:
    """A service of the host, on a port of its own."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._socket = socket.create_server((host, 0))
        self.port: int = self._socket.getsockname()[1]
        self.heard: list[bytes] = []
        self.peers: list[str] = []
        self.answer = b"heard"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, (peer, _) = self._socket.accept()
            except OSError:
                return
            self.peers.append(peer)
            with connection:
                connection.settimeout(5)
                self.heard.append(connection.recv(65536))
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(self.answer)}\r\nConnection: close\r\n\r\n"
                connection.sendall(head.encode() + self.answer)

    def close(self) -> None:
        self._socket.close()
