"""A server's place in its networks: a namespace of its own, its ports, and who may pass them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address

from calor.localcloud.linux.netlink import LOCAL, Route
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import METADATA_ADDRESS, guards
from calor.localcloud.linux.syscalls import inside_network
from calor.localcloud.linux.wiring import (
    Find,
    Surroundings,
    cable,
    cable_name,
    set_addresses,
    set_routes,
)
from calor.localcloud.machinery import PortPlan

_OWN_ONLY = ("0100007F", "00000000000000000000000001000000")
"""Loopback addresses as the kernel writes them."""


class Sockets:
    """The ports of one server, by their ids. Those in networks that have not been told yet come when they are."""

    def __init__(self) -> None:
        self.namespace = NetworkNamespace()
        # Servers have no power over their network, so low ports and pings must be anybody's.
        self.namespace.set(
            ipv4__ip_unprivileged_port_start=0,
            ipv4__conf__all__route_localnet=1,
            ipv6__conf__default__accept_dad=0,
            ipv6__conf__default__accept_ra=0,
        )
        self._allow_pings()
        self.ports: dict[str, PortPlan] = {}
        self._devices: dict[str, str] = {}
        self._wired: dict[str, str] = {}
        """The networks that ports are joined to."""
        self._routes: set[Route] = set()
        self._is_fresh = True

    def _allow_pings(self) -> None:
        with self.namespace.netlink(), open("/proc/sys/net/ipv4/ping_group_range", "w") as file:
            file.write(_mapped_groups())

    def plug(self, plan: PortPlan) -> None:
        self.ports[plan.id] = plan
        if plan.id not in self._devices:
            taken = set(self._devices.values())
            free = (f"eth{number}" for number in range(len(taken) + 1) if f"eth{number}" not in taken)
            self._devices[plan.id] = next(free)

    def unplug(self, port_id: str) -> None:
        self.ports.pop(port_id, None)
        self._cut(port_id)
        self._devices.pop(port_id, None)

    def forget_network(self, network_id: str) -> None:
        for port, its_network in list(self._wired.items()):
            if its_network == network_id:
                self._cut(port)

    def _cut(self, port_id: str) -> None:
        if self._wired.pop(port_id, None) is not None:
            with self.namespace.netlink() as netlink:
                index = netlink.index(self._devices[port_id])
                if index is not None:
                    netlink.remove_link(index)

    def apply(self, find: Find, around: Surroundings) -> None:
        """Makes everything so."""
        for plan in self.ports.values():
            network = find(plan.network_id)
            if network is not None and plan.id not in self._wired:
                cable(network, cable_name(plan.id), self.namespace, self._devices[plan.id])
                self._wired[plan.id] = network.id
        wired = {self._devices[id]: plan for id, plan in self.ports.items() if id in self._wired}
        routes: set[Route] = set()
        with self.namespace.netlink() as netlink:
            if wired:
                # Nothing may pass before it is known what.
                guards(wired, around.doors, fresh=self._is_fresh).commit()
                self._is_fresh = False
            for device, plan in wired.items():
                index = netlink.need(device)
                netlink.set_link(index, up=plan.up, mac=plan.mac, mtu=plan.mtu)
                set_addresses(netlink, index, [f"{one.address}/{one.prefix}" for one in plan.addresses])
                if plan.up:
                    routes |= _wanted(plan, index, around, routes)
            set_routes(netlink, self._routes, routes)
        self._routes = routes

    def listening(self) -> list[int]:
        """TCP ports at which somebody in the server waits for others."""
        found = set()
        with inside_network(self.namespace.fd):
            for name in ("tcp", "tcp6"):
                # Of this thread, as the other path is of the process, which may remember another namespace.
                with suppress(FileNotFoundError), open(f"/proc/thread-self/net/{name}") as file:
                    found |= set(_waiting(file.read().splitlines()[1:]))
        return sorted(found)

    def close(self) -> None:
        for port in list(self._wired):
            self._cut(port)
        self.namespace.close()


def _wanted(plan: PortPlan, index: int, around: Surroundings, taken: set[Route]) -> set[Route]:
    """The routes of a port. Of several that lead to the same place, the one of the first port counts."""
    found: set[Route] = set()
    first = next((one.address for one in plan.addresses if ":" not in one.address), None)
    if first is not None:
        found.add(Route(f"{METADATA_ADDRESS}/32", device=index, source=first))
        for door in around.doors:
            if not ip_address(door.address).is_loopback:
                found.add(Route(f"{door.address}/32", device=index, source=first))
    for one in plan.addresses:
        if one.gateway is not None:
            anywhere = "::/0" if ":" in one.gateway else "0.0.0.0/0"
            found.add(Route(anywhere, via=one.gateway, device=index))
            if around.loopback_range and ":" not in one.gateway:
                found.add(Route(around.loopback_range, via=one.gateway, device=index, table=LOCAL))
    found |= {Route(destination, via=hop, device=index) for destination, hop in plan.routes}
    known = {(route.destination, route.table) for route in taken}
    return {route for route in found if (route.destination, route.table) not in known}


def _waiting(lines: list[str]) -> Iterator[int]:
    for line in lines:
        _, local, _, state = line.split()[:4]
        address, _, port = local.rpartition(":")
        if state == "0A" and address not in _OWN_ONLY:
            yield int(port, 16)


def _mapped_groups() -> str:
    """All groups that there are here, as the kernel wants them."""
    with open("/proc/self/gid_map") as file:
        first, _, count = file.readline().split()
    return f"{first} {min(int(first) + int(count) - 1, 2_000_000_000)}"
