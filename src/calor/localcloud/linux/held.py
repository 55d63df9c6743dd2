"""What the holder has: networks, routers, servers, and what they were told to be."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from calor.localcloud.linux.attention import Attention
from calor.localcloud.linux.roots import drop_volume, forget_gone
from calor.localcloud.linux.routing import Router
from calor.localcloud.linux.servers import BootOrder, Means, Server
from calor.localcloud.linux.volumes import Volumes
from calor.localcloud.linux.wiring import Network, Surroundings
from calor.localcloud.machinery import MachineryFailed, NetworkPlan, PortPlan, RouterPlan

_SECONDS_TO_HALT = 3.0
_BOOTS_AGAIN = 87
"""How the first process of a server ends that wants to be started again."""

Then = Callable[[str | None], None]


class Held:
    """`died` is told of servers that end by themselves."""

    def __init__(self, folder: Path, means: Means, attention: Attention, died: Callable[[str], None]) -> None:
        self.means = means
        self._attention = attention
        self._died = died
        self.servers: dict[str, Server] = {}
        self.networks: dict[str, Network] = {}
        self.routers: dict[str, Router] = {}
        self._by_process: dict[int, str] = {}
        self._port_owners: dict[str, str] = {}
        self._starting: dict[str, Then] = {}
        self._ending: dict[str, tuple[float, list[Callable[[], None]]]] = {}
        self._folder = folder
        self.volumes = Volumes(folder / "volumes", means.ids.are_shifted)
        self._around = Surroundings((), "172.24.4.0/24", "", None)

    def surround(self, around: Surroundings) -> None:
        before, self._around = self._around, around
        if before.doors != around.doors:
            for network in self.networks.values():
                network.listen(around)
            for server in self.servers.values():
                server.sockets.apply(self.networks.get, around)

    def set_network(self, plan: NetworkPlan) -> None:
        known = self.networks.get(plan.id)
        if known is not None:
            known.apply(plan, self._around)
            return
        leads_to_host = plan.external and not any(one.leads_to_host for one in self.networks.values())
        self.networks[plan.id] = Network(plan, self._around, leads_to_host=leads_to_host)
        # Those who were told earlier have waited for it.
        for router in self.routers.values():
            if plan.id in router.networks():
                router.apply(router.plan, self.networks.get, self._around)
        for server in self.servers.values():
            if any(port.network_id == plan.id for port in server.sockets.ports.values()):
                server.sockets.apply(self.networks.get, self._around)

    def drop_network(self, id: str) -> None:
        network = self.networks.pop(id, None)
        if network is not None:
            for router in self.routers.values():
                router.forget_network(id)
            for server in self.servers.values():
                server.sockets.forget_network(id)
            network.close()

    def set_router(self, plan: RouterPlan) -> None:
        router = self.routers.get(plan.id)
        if router is None:
            router = self.routers[plan.id] = Router(plan)
        elif router.plan == plan:
            return
        router.apply(plan, self.networks.get, self._around)

    def drop_router(self, id: str) -> None:
        router = self.routers.pop(id, None)
        if router is not None:
            router.close()

    def boot(self, order: BootOrder, then: Then) -> None:
        """Starts a server; `then` is told when it runs, or what went wrong."""
        if order.id in self.servers:
            then(None)
            return
        server = Server(order, self.means, self.volumes, self.networks.get, self._around)
        self.servers[order.id] = server
        self._by_process[server.process] = order.id
        self._port_owners.update({port.id: order.id for port in order.ports})
        self._starting[order.id] = then
        self._attention.heed(server.console.terminal, server.console.take)
        self._attention.heed(server.launching.connection.fileno(), partial(self._hear, server))

    def _hear(self, server: Server) -> None:
        """What a server says that is being started."""
        outcome = server.launching.outcome()
        if outcome is not None:
            self._attention.ignore(server.launching.connection.fileno())
            self._starting.pop(server.id)(outcome or None)
            if outcome:
                self._end_now(server.id)

    def server(self, id: str) -> Server:
        found = self.servers.get(id)
        if found is None:
            raise MachineryFailed("the server is not running")
        return found

    def owner(self, port_id: str) -> Server | None:
        return self.servers.get(self._port_owners.get(port_id, ""))

    def set_port(self, plan: PortPlan) -> None:
        server = self.owner(plan.id)
        if server is not None:
            server.set_port(plan, self.networks.get, self._around)

    def plug(self, id: str, plan: PortPlan) -> None:
        self._port_owners[plan.id] = id
        self.server(id).set_port(plan, self.networks.get, self._around)

    def unplug(self, id: str, port_id: str) -> None:
        self._port_owners.pop(port_id, None)
        server = self.server(id)
        server.sockets.unplug(port_id)
        server.sockets.apply(self.networks.get, self._around)

    def end(self, id: str, then: Callable[[], None], *, gently: bool) -> None:
        """Ends a server; `then` is done afterwards. One that is asked gently is given some time."""
        server = self.servers.get(id)
        if server is None:
            then()
            return
        _, waiting = self._ending.get(id, (0.0, []))
        seconds = _SECONDS_TO_HALT if gently else 0.0
        self._ending[id] = (time.monotonic() + seconds, [*waiting, then])
        if gently:
            server.signal(signal.SIGTERM)
        else:
            self.lose_patience()

    def seconds_to_next(self) -> float | None:
        """How long until patience with somebody ends."""
        if not self._ending:
            return None
        return max(0.0, min(deadline for deadline, _ in self._ending.values()) - time.monotonic())

    def lose_patience(self) -> None:
        now = time.monotonic()
        for id, (deadline, waiting) in list(self._ending.items()):
            if deadline <= now:
                self._ending[id] = (now + _SECONDS_TO_HALT, waiting)
                self.servers[id].signal(signal.SIGKILL)

    def ended(self, process: int, code: int) -> None:
        """Takes notice of a process that has ended, which may have been a server's first."""
        id = self._by_process.pop(process, None)
        if id is None:
            return
        order = self.servers[id].order_now()
        was_running = self._forget(id)
        _, waiting = self._ending.pop(id, (0.0, []))
        for then in waiting:
            then()
        if waiting or not was_running:
            return
        if code == _BOOTS_AGAIN:
            with suppress(MachineryFailed, OSError):
                self.boot(order, lambda problem: self._died(id) if problem else None)
                return
        self._died(id)

    def _end_now(self, id: str) -> None:
        server = self.servers[id]
        server.signal(signal.SIGKILL)
        os.waitpid(server.process, 0)
        self._by_process.pop(server.process, None)
        self._forget(id)
        _, waiting = self._ending.pop(id, (0.0, []))
        for then in waiting:
            then()

    def _forget(self, id: str) -> bool:
        """Whether the server had been started at all."""
        server = self.servers.pop(id)
        for port in server.sockets.ports:
            self._port_owners.pop(port, None)
        starting = self._starting.pop(id, None)
        if starting is not None:
            starting(server.launching.outcome() or "it ended as it was started")
        self._attention.ignore(server.launching.connection.fileno())
        self._attention.ignore(server.console.terminal)
        server.clear()
        return starting is None

    def sweep(self, networks: set[str], routers: set[str], servers: set[str]) -> None:
        """Removes everything but these."""
        for id in self.servers.keys() - servers:
            self._end_now(id)
        for id in self.routers.keys() - routers:
            self.drop_router(id)
        for id in self.networks.keys() - networks:
            self.drop_network(id)
        self.volumes.forget()
        forget_gone(self._folder / "roots")

    def drop_volume(self, volume_id: str) -> None:
        for place in ("roots", "volumes"):
            drop_volume(self._folder / place, volume_id)

    def close(self) -> None:
        self.sweep(set(), set(), set())
