"""What the holder has: networks, routers, servers, and what they were told to be."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from calor.localcloud.linux.launching import LaunchFailed
from calor.localcloud.linux.routing import Router
from calor.localcloud.linux.servers import BootOrder, Means, Server
from calor.localcloud.linux.volumes import Volumes
from calor.localcloud.linux.wiring import Network, Surroundings
from calor.localcloud.machinery import MachineryFailed, NetworkPlan, PortPlan, RouterPlan

_SECONDS_TO_HALT = 3.0
_BOOTS_AGAIN = 87
"""How the first process of a server ends that wants to be started again."""

Dropping = Callable[[Server], None]


class Held:
    def __init__(self, folder: Path, means: Means) -> None:
        self.means = means
        self.servers: dict[str, Server] = {}
        self.networks: dict[str, Network] = {}
        self.routers: dict[str, Router] = {}
        self._by_process: dict[int, str] = {}
        self._port_owners: dict[str, str] = {}
        self._halting: dict[str, tuple[float, list[Callable[[], None]]]] = {}
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

    def boot(self, order: BootOrder) -> None:
        if order.id in self.servers:
            return
        try:
            server = Server(order, self.means, self.volumes, self.networks.get, self._around)
        except LaunchFailed as error:
            raise MachineryFailed(f"the server cannot be started: {error}") from None
        self.servers[order.id] = server
        self._by_process[server.process] = order.id
        self._port_owners.update({port.id: order.id for port in order.ports})

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

    def halt(self, id: str, now: float, then: Callable[[], None]) -> None:
        """Asks a server to end, and ends it if it does not; `then` is done afterwards."""
        server = self.servers.get(id)
        if server is None:
            then()
            return
        if id in self._halting:
            self._halting[id][1].append(then)
            return
        self._halting[id] = (now + _SECONDS_TO_HALT, [then])
        server.signal(signal.SIGTERM)

    def seconds_to_next(self, now: float) -> float | None:
        """How long until somebody's patience ends."""
        if not self._halting:
            return None
        return max(0.0, min(deadline for deadline, _ in self._halting.values()) - now)

    def lose_patience(self, now: float) -> None:
        for id, (deadline, waiting) in list(self._halting.items()):
            if deadline <= now and id in self.servers:
                self._halting[id] = (now + _SECONDS_TO_HALT, waiting)
                self.servers[id].signal(signal.SIGKILL)

    def ended(self, process: int, code: int, dropping: Dropping) -> str | None:
        """Whether a process that ended was a server, and which, if it ended by itself and for good."""
        id = self._by_process.pop(process, None)
        if id is None:
            return None
        order = self.servers[id].order_now()
        self._forget(id, dropping)
        _, waiting = self._halting.pop(id, (0.0, []))
        for then in waiting:
            then()
        if waiting:
            return None
        if code == _BOOTS_AGAIN:
            try:
                self.boot(order)
            except (MachineryFailed, OSError):
                return id
            return None
        return id

    def kill(self, id: str, dropping: Dropping) -> None:
        server = self.servers.get(id)
        if server is None:
            return
        server.signal(signal.SIGKILL)
        os.waitpid(server.process, 0)
        self._by_process.pop(server.process, None)
        self._forget(id, dropping)
        _, waiting = self._halting.pop(id, (0.0, []))
        for then in waiting:
            then()

    def _forget(self, id: str, dropping: Dropping) -> None:
        server = self.servers.pop(id)
        for port in server.sockets.ports:
            self._port_owners.pop(port, None)
        dropping(server)
        server.clear()

    def close(self) -> None:
        for id in list(self.servers):
            self.kill(id, lambda server: None)
        for router in list(self.routers):
            self.drop_router(router)
        for network in list(self.networks):
            self.drop_network(network)
