"""The ports of a server, in a network namespace of its own, with their firewall rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address

from calor.localcloud.backend import PortPlan
from calor.localcloud.linux.netlink import LOCAL, Route
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import METADATA_ADDRESS, RELAYS, connection_limit_rules, port_rules
from calor.localcloud.linux.syscalls import in_network_namespace
from calor.localcloud.linux.wiring import (
    FindNetwork,
    HostSettings,
    Network,
    cable_name,
    set_addresses,
    set_routes,
)

TCP_BUFFER = "4096 65536 1048576"
"""The least, usual and most bytes of each buffer of a connection."""
_LOOPBACK = ("0100007F", "00000000000000000000000001000000")
"""As in /proc/net/tcp and tcp6."""


class ServerPorts:
    """The ports of one server. A port is connected once its network exists."""

    def __init__(self) -> None:
        self.namespace = NetworkNamespace()
        # Root of a server has no capabilities in this namespace: low ports and pings must not need any.
        self.namespace.set(
            ipv4__ip_unprivileged_port_start=0,
            ipv4__conf__all__route_localnet=1,
            # No ARP for addresses of other networks.
            ipv4__conf__all__arp_ignore=1,
            ipv4__conf__all__arp_announce=2,
            ipv6__conf__default__accept_dad=0,
            ipv6__conf__default__accept_ra=0,
            # The memory of TCP is limited for the whole machine.
            ipv4__tcp_rmem=TCP_BUFFER,
            ipv4__tcp_wmem=TCP_BUFFER,
        )
        self._allow_pings()
        with in_network_namespace(self.namespace.fd):
            connection_limit_rules().commit()
        self.plans: dict[str, PortPlan] = {}
        self._devices: dict[str, str] = {}
        self._networks: dict[str, Network] = {}
        """The networks of connected ports, by port."""
        self._protected: dict[str, PortPlan] = {}
        """The plans for which those networks have anti-spoofing rules."""
        self._routes: set[Route] = set()
        self._is_fresh = True

    def _allow_pings(self) -> None:
        with self.namespace.netlink(), open("/proc/sys/net/ipv4/ping_group_range", "w") as file:
            file.write(_group_range())

    def networks(self) -> set[str]:
        return {port.network_id for port in self.plans.values()}

    def plug(self, plan: PortPlan) -> None:
        self.plans[plan.id] = plan
        if plan.id not in self._devices:
            taken = set(self._devices.values())
            free = (f"eth{number}" for number in range(len(taken) + 1) if f"eth{number}" not in taken)
            self._devices[plan.id] = next(free)

    def unplug(self, port_id: str) -> None:
        self.plans.pop(port_id, None)
        self._disconnect(port_id)
        self._devices.pop(port_id, None)

    def forget_network(self, network_id: str) -> None:
        for port, its_network in list(self._networks.items()):
            if its_network.id == network_id:
                self._disconnect(port)

    def _disconnect(self, port_id: str) -> None:
        network = self._networks.pop(port_id, None)
        if network is not None:
            if self._protected.pop(port_id, None) is not None:
                network.remove_anti_spoofing(cable_name(port_id))
            network.disconnect(cable_name(port_id))

    def apply(self, find: FindNetwork, settings: HostSettings) -> None:
        """Connects and configures all ports."""
        for plan in self.plans.values():
            network = find(plan.network_id)
            if network is not None and plan.id not in self._networks:
                network.connect(cable_name(plan.id), self.namespace, self._devices[plan.id])
                self._networks[plan.id] = network
        for id, network in self._networks.items():
            if self._protected.get(id) != self.plans[id]:
                network.add_anti_spoofing(cable_name(id), self.plans[id], fresh=id not in self._protected)
                self._protected[id] = self.plans[id]
        wired = {self._devices[id]: plan for id, plan in self.plans.items() if id in self._networks}
        routes: set[Route] = set()
        with self.namespace.netlink() as netlink:
            if wired:
                # The rules must be in place before a device is up.
                self._set_rules(wired, settings)
            for device, plan in wired.items():
                index = netlink.need(device)
                netlink.set_link(index, up=plan.up, mac=plan.mac, mtu=plan.mtu)
                set_addresses(netlink, index, [f"{one.address}/{one.prefix}" for one in plan.addresses])
                if plan.up:
                    routes |= _routes_of(plan, index, settings, routes)
            set_routes(netlink, self._routes, routes)
        self._routes = routes

    def _set_rules(self, wired: Mapping[str, PortPlan], settings: HostSettings) -> None:
        """If the kernel refuses the rules, nothing is permitted: the rules before may permit too much."""
        try:
            port_rules(wired, settings.host_services, fresh=self._is_fresh).commit()
        except OSError:
            closed = {device: replace(plan, permissions=()) for device, plan in wired.items()}
            port_rules(closed, settings.host_services, fresh=self._is_fresh).commit()
            raise
        finally:
            self._is_fresh = False

    def listening_ports(self) -> list[int]:
        """The TCP ports on which the server listens, loopback aside."""
        found = set()
        with in_network_namespace(self.namespace.fd):
            for name in ("tcp", "tcp6"):
                # /proc/net is that of the main thread, which may be in another namespace.
                with suppress(FileNotFoundError), open(f"/proc/thread-self/net/{name}") as file:
                    found |= set(_listening_ports(file.read().splitlines()[1:]))
        return sorted(found)

    def close(self) -> None:
        for port in list(self._networks):
            self._disconnect(port)
        self.namespace.close()


def _routes_of(plan: PortPlan, index: int, settings: HostSettings, taken: set[Route]) -> set[Route]:
    """The routes of a port, except to destinations in `taken`: the first port with a route wins."""
    found: set[Route] = set()
    first = next((one.address for one in plan.addresses if ":" not in one.address), None)
    if first is not None:
        found.add(Route(f"{METADATA_ADDRESS}/32", device=index, source=first))
        found.add(Route(RELAYS, device=index, source=first))
        for service in settings.host_services:
            if service.address is not None and not ip_address(service.address).is_loopback:
                found.add(Route(f"{service.address}/32", device=index, source=first))
    for one in plan.addresses:
        if one.gateway is not None:
            anywhere = "::/0" if ":" in one.gateway else "0.0.0.0/0"
            found.add(Route(anywhere, via=one.gateway, device=index))
            if settings.loopback_range and ":" not in one.gateway:
                found.add(Route(settings.loopback_range, via=one.gateway, device=index, table=LOCAL))
    found |= {Route(destination, via=hop, device=index) for destination, hop in plan.routes}
    known = {(route.destination, route.table) for route in taken}
    return {route for route in found if (route.destination, route.table) not in known}


def _listening_ports(lines: list[str]) -> Iterator[int]:
    for line in lines:
        _, local, _, state = line.split()[:4]
        address, _, port = local.rpartition(":")
        if state == "0A" and address not in _LOOPBACK:
            yield int(port, 16)


def _group_range() -> str:
    """All mapped groups, in the format of ping_group_range."""
    with open("/proc/self/gid_map") as file:
        first, _, count = file.readline().split()
    return f"{first} {min(int(first) + int(count) - 1, 2_000_000_000)}"
