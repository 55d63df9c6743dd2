"""The state of the holder: its networks, routers, servers and volumes."""

from __future__ import annotations

import itertools
import logging
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from calor.localcloud.backend import BackendError, NetworkPlan, PortPlan, RouterPlan
from calor.localcloud.linux.event_loop import EventLoop
from calor.localcloud.linux.launching import EXITED_EARLY
from calor.localcloud.linux.neighbours import addresses_of_network
from calor.localcloud.linux.roots import drop_volume, remove_orphaned
from calor.localcloud.linux.routing import Router
from calor.localcloud.linux.servers import BootSpec, Server, ServerDefaults
from calor.localcloud.linux.turns import Turns
from calor.localcloud.linux.volumes import Volumes
from calor.localcloud.linux.wiring import HostSettings, Network

log = logging.getLogger("calor.localcloud.linux")

_HALT_SECONDS = 3.0
_REBOOT_EXIT_CODE = 87
"""The exit code of the first process of a server that reboots itself."""

_MIN_DELAY, _MAX_DELAY = 0.25, 8.0
_STABLE_SECONDS = 60.0
"""A server that has run for so long may reboot without a delay."""

_REST_SECONDS = 0.02
"""How long a server waits for its next request for a mount."""

_JOIN_SECONDS, _LEAVE_SECONDS = 0.05, 1.0
"""How long a network waits for more servers that come or go: each change reaches every device in it, so that one change
for each server would be quadratic."""

OnStarted = Callable[[str | None], None]
"""Called with the reason when a server cannot be started, else with None."""


@contextmanager
def _logged(what: str) -> Iterator[None]:
    """One impossible plan must not affect others."""
    try:
        yield
    except Exception:
        log.exception("the network of %s could not be set up", what)


@dataclass(frozen=True)
class _Rest:
    until: float
    again: Callable[[], None]
    """Called when there is something to read."""
    has_more: Callable[[], bool]
    """Whether something that was read already is left."""


class HolderState:
    """Calls `on_exit` with the ids of servers that exit by themselves."""

    def __init__(
        self, folder: Path, means: ServerDefaults, loop: EventLoop, on_exit: Callable[[str], None]
    ) -> None:
        self.means = means
        self._loop = loop
        self._on_exit = on_exit
        self.servers: dict[str, Server] = {}
        self.networks: dict[str, Network] = {}
        self.routers: dict[str, Router] = {}
        self._by_process: dict[int, str] = {}
        self._port_owners: dict[str, str] = {}
        self._starting: dict[str, OnStarted] = {}
        self._delayed: dict[str, float] = {}
        """When servers that are ready to run may do so."""
        self._turns = Turns()
        self._resting: dict[int, _Rest] = {}
        """Descriptors to which servers write, and which are not read for a while."""
        self._neighbours_due: dict[str, float] = {}
        """When the devices of networks learn which addresses exist there."""
        self._ending: dict[str, tuple[float, list[Callable[[], None]]]] = {}
        self._folder = folder
        self._owners = itertools.count(means.ids.first + means.ids.count)
        """Unused user ids: each server gets one of its own, since the kernel counts some resources by user."""
        self.volumes = Volumes(folder / "volumes", means.ids.are_shifted)
        self._settings = HostSettings((), "172.24.4.0/24", "", None)

    def apply_settings(self, settings: HostSettings) -> None:
        before, self._settings = self._settings, settings
        if before.host_services != settings.host_services:
            for network in self.networks.values():
                network.listen(settings)
            for server in self.servers.values():
                self._apply_ports(server)
            self._update_neighbours(self.networks)

    def _apply_ports(self, server: Server) -> None:
        with _logged(f"server {server.id}"):
            server.ports.apply(self.networks.get, self._settings)

    def set_network(self, plan: NetworkPlan) -> None:
        known = self.networks.get(plan.id)
        if known is not None:
            known.apply(plan, self._settings)
            self._update_neighbours([plan.id])
            return
        leads_to_host = plan.external and not any(one.leads_to_host for one in self.networks.values())
        self.networks[plan.id] = Network(plan, self._settings, leads_to_host=leads_to_host)
        # Routers and servers may have been configured before their network.
        for router in self.routers.values():
            if plan.id in router.networks():
                with _logged(f"router {router.plan.id}"):
                    router.apply(router.plan, self.networks.get, self._settings)
        for server in self.servers.values():
            if any(port.network_id == plan.id for port in server.ports.plans.values()):
                self._apply_ports(server)
        self._update_neighbours([plan.id])

    def _update_neighbours(self, network_ids: Iterable[str]) -> None:
        """Tells all devices in these networks which addresses exist there."""
        routers = [router.plan for router in self.routers.values()]
        ports = [port for server in self.servers.values() for port in server.ports.plans.values()]
        for id in network_ids:
            network = self.networks.get(id)
            if network is not None:
                own = network.own_addresses(self._settings)
                network.set_neighbours(addresses_of_network(id, ports, routers, own))

    def _update_neighbours_later(self, network_ids: Iterable[str], seconds: float) -> None:
        due = time.monotonic() + seconds
        for id in network_ids:
            self._neighbours_due[id] = min(due, self._neighbours_due.get(id, due))

    def _update_neighbours_due(self) -> None:
        now = time.monotonic()
        for id in [id for id, due in self._neighbours_due.items() if due <= now]:
            del self._neighbours_due[id]
            try:
                self._update_neighbours([id])
            except Exception:
                log.exception("devices of network %s know outdated addresses", id)

    def drop_network(self, id: str) -> None:
        network = self.networks.pop(id, None)
        if network is not None:
            for router in self.routers.values():
                router.forget_network(id)
            for server in self.servers.values():
                server.ports.forget_network(id)
            network.close()

    def set_router(self, plan: RouterPlan) -> None:
        router = self.routers.get(plan.id)
        if router is None:
            router = self.routers[plan.id] = Router(plan)
        elif router.plan == plan:
            return
        before = router.networks()
        router.apply(plan, self.networks.get, self._settings)
        self._update_neighbours(before | router.networks())

    def drop_router(self, id: str) -> None:
        router = self.routers.pop(id, None)
        if router is not None:
            router.close()
            self._update_neighbours(router.networks())

    def boot(self, spec: BootSpec, on_started: OnStarted, delay: float = 0.0) -> None:
        """Starts a server, after `delay` seconds at the earliest. `on_started` is called when it runs or has failed."""
        if spec.id in self.servers:
            on_started(None)
            return
        owner = next(self._owners) if self.means.ids.are_shifted else None
        server = Server(spec, self.means, self.volumes, self.networks.get, self._settings, owner, delay)
        self.servers[spec.id] = server
        self._by_process[server.process] = spec.id
        self._port_owners.update({port.id: spec.id for port in spec.ports})
        self._update_neighbours_later({port.network_id for port in spec.ports}, _JOIN_SECONDS)
        self._starting[spec.id] = on_started
        for fd, callback in (
            (server.console.terminal, partial(self._on_output, server)),
            (server.volumes.requests.fd, partial(self._on_mount_request, server)),
            (server.launching.connection.fileno(), partial(self._on_launch_message, server)),
        ):
            self._loop.add_reader(fd, partial(self._guarded, server, callback))

    def _on_output(self, server: Server) -> None:
        pause = self._turns.take(server.id, server.console.read)
        if pause:
            again = partial(self._guarded, server, partial(self._on_output, server))
            self._rest(server.console.terminal, pause, again)

    def _on_mount_request(self, server: Server) -> None:
        """Handles one request, and no further one of this server for a while: others need the holder, too."""
        pause = self._turns.take(server.id, partial(server.volumes.answer_request, server.process))
        again = partial(self._guarded, server, partial(self._on_mount_request, server))
        requests = server.volumes.requests
        self._rest(requests.fd, max(pause, _REST_SECONDS), again, requests.has_more)

    def _rest(
        self, fd: int, seconds: float, again: Callable[[], None], has_more: Callable[[], bool] = lambda: False
    ) -> None:
        self._loop.remove_reader(fd)
        self._resting[fd] = _Rest(time.monotonic() + seconds, again, has_more)

    def _hear_rested(self) -> None:
        now = time.monotonic()
        for fd, rest in list(self._resting.items()):
            # What was done for another one may have ended this server.
            if rest.until <= now and self._resting.get(fd) is rest:
                del self._resting[fd]
                if rest.has_more():
                    rest.again()
                else:
                    self._loop.add_reader(fd, rest.again)

    def _guarded(self, server: Server, callback: Callable[[], None]) -> None:
        """An unexpected error of a server ends that server only."""
        try:
            callback()
        except Exception:
            log.exception("server %s failed and is stopped", server.id)
            if self.servers.get(server.id) is server:
                was_running = server.id not in self._starting
                self._kill(server.id)
                if was_running:
                    self._on_exit(server.id)

    def _on_launch_message(self, server: Server) -> None:
        outcome = server.launching.outcome()
        if outcome is None:
            self._delayed[server.id] = time.monotonic() + server.delay
            self._start_delayed()
            return
        self._started(server, outcome)

    def _started(self, server: Server, problem: str) -> None:
        self._loop.remove_reader(server.launching.connection.fileno())
        self._starting.pop(server.id)(problem or None)
        if problem:
            self._kill(server.id)

    def _start_delayed(self) -> None:
        """Starts servers whose delay is over."""
        now = time.monotonic()
        for id in [id for id, due in self._delayed.items() if due <= now]:
            del self._delayed[id]
            self._guarded(self.servers[id], partial(self._proceed, self.servers[id]))

    def _proceed(self, server: Server) -> None:
        problem = server.launching.proceed()
        if problem:
            self._started(server, problem)

    def server(self, id: str) -> Server:
        found = self.servers.get(id)
        if found is None:
            raise BackendError("the server is not running")
        return found

    def owner(self, port_id: str) -> Server | None:
        return self.servers.get(self._port_owners.get(port_id, ""))

    def set_port(self, plan: PortPlan) -> None:
        server = self.owner(plan.id)
        if server is not None:
            self._set_port(server, plan)

    def _set_port(self, server: Server, plan: PortPlan) -> None:
        server.set_port(plan, self.networks.get, self._settings)
        self._update_neighbours([plan.network_id])

    def plug(self, id: str, plan: PortPlan) -> None:
        self._port_owners[plan.id] = id
        self._set_port(self.server(id), plan)

    def unplug(self, id: str, port_id: str) -> None:
        self._port_owners.pop(port_id, None)
        server = self.server(id)
        networks = server.ports.networks()
        server.ports.unplug(port_id)
        server.ports.apply(self.networks.get, self._settings)
        self._update_neighbours(networks)

    def end(self, id: str, then: Callable[[], None], *, gently: bool) -> None:
        """Stops a server, and calls `then` afterwards. With `gently`, it has some time to shut down."""
        server = self.servers.get(id)
        if server is None:
            then()
            return
        _, waiting = self._ending.get(id, (0.0, []))
        seconds = _HALT_SECONDS if gently else 0.0
        self._ending[id] = (time.monotonic() + seconds, [*waiting, then])
        if gently:
            server.signal(signal.SIGTERM)
        else:
            self.run_due()

    def seconds_until_due(self, most: float) -> float:
        """Seconds until `run_due` has something to do, at most `most`."""
        deadlines = (deadline for deadline, _ in self._ending.values())
        resting = (rest.until for rest in self._resting.values())
        times = [*deadlines, *self._delayed.values(), *resting, *self._neighbours_due.values()]
        return max(0.0, min([most, *(one - time.monotonic() for one in times)]))

    def run_due(self) -> None:
        """Starts delayed servers, notifies networks of new and deleted servers, and kills servers that do not shut down
        in time."""
        self._start_delayed()
        self._hear_rested()
        self._update_neighbours_due()
        now = time.monotonic()
        for id, (deadline, waiting) in list(self._ending.items()):
            if deadline <= now:
                self._ending[id] = (now + _HALT_SECONDS, waiting)
                server = self.servers[id]
                self._guarded(server, partial(server.signal, signal.SIGKILL))

    def on_process_exit(self, process: int, code: int) -> None:
        """Handles the exit of a child process, which may be the first process of a server."""
        if self.volumes.on_process_exit(process):
            return
        id = self._by_process.pop(process, None)
        if id is None:
            return
        server = self.servers[id]
        spec, volumes = server.current_spec(), server.volume_ids()
        was_running = self._forget(id)
        waiting = self._ended(id, volumes)
        if waiting or not was_running:
            return
        if code == _REBOOT_EXIT_CODE:
            delay = reboot_delay(server.delay, time.monotonic() - server.created_at)
            with suppress(BackendError, OSError):
                self.boot(spec, lambda problem: self._on_exit(id) if problem else None, delay)
                return
        self._on_exit(id)

    def _kill(self, id: str) -> None:
        server = self.servers[id]
        server.signal(signal.SIGKILL)
        os.waitpid(server.process, 0)
        self._by_process.pop(server.process, None)
        volumes = server.volume_ids()
        self._forget(id)
        self._ended(id, volumes)

    def _ended(self, id: str, volumes: frozenset[str]) -> bool:
        """Returns whether somebody waits for the end of a server, who is called when its volumes are written back."""
        _, waiting = self._ending.pop(id, (0.0, []))
        for then in waiting:
            self.volumes.when_written(volumes, then)
        return bool(waiting)

    def _forget(self, id: str) -> bool:
        """Returns whether the server had started."""
        server = self.servers.pop(id)
        for port in server.ports.plans:
            self._port_owners.pop(port, None)
        self._delayed.pop(id, None)
        self._turns.forget(id)
        for fd in (server.console.terminal, server.volumes.requests.fd):
            self._resting.pop(fd, None)
        starting = self._starting.pop(id, None)
        if starting is not None:
            starting(server.launching.outcome() or EXITED_EARLY)
        self._loop.remove_reader(server.launching.connection.fileno())
        self._loop.remove_reader(server.console.terminal)
        self._loop.remove_reader(server.volumes.requests.fd)
        try:
            server.clean_up()
        except Exception:
            log.exception("server %s was not removed completely", id)
        self._update_neighbours_later(server.ports.networks(), _LEAVE_SECONDS)
        return starting is None

    def sweep(self, networks: set[str], routers: set[str], servers: set[str]) -> None:
        """Removes everything but these."""
        for id in self.servers.keys() - servers:
            self._kill(id)
        for id in self.routers.keys() - routers:
            self.drop_router(id)
        for id in self.networks.keys() - networks:
            self.drop_network(id)
        self.volumes.remove_orphaned()
        remove_orphaned(self._folder / "roots")

    def drop_volume(self, volume_id: str) -> None:
        for place in ("roots", "volumes"):
            drop_volume(self._folder / place, volume_id)

    def close(self) -> None:
        self.sweep(set(), set(), set())
        self.volumes.finish()


def reboot_delay(delay_before: float, lived: float) -> float:
    """Seconds before a server reboots: increases while it reboots often."""
    if lived - delay_before >= _STABLE_SECONDS:
        return 0.0
    return min(max(delay_before * 2, _MIN_DELAY), _MAX_DELAY)
