"""Networks: a namespace with a bridge for each, and veth pairs (cables) to routers and servers."""

from __future__ import annotations

import errno
import hashlib
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from calor.localcloud.backend import NetworkPlan, PortPlan
from calor.localcloud.linux.neighbours import allow_next_hops, change_next_hops, remove_next_hops
from calor.localcloud.linux.netlink import LOCAL, Netlink, Route
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import (
    METADATA_ADDRESS,
    RelayedService,
    anti_spoofing_rules,
    host_only_rules,
    remove_anti_spoofing_rules,
)
from calor.localcloud.linux.syscalls import in_network_namespace

BRIDGE = "br"
_TO_HOST = "host"


@dataclass(frozen=True)
class HostSettings:
    """Services of the host that servers may reach, and how the host reaches the external range."""

    host_services: tuple[RelayedService, ...]
    external_cidr: str
    host_device: str
    host_link: tuple[str, str] | None
    """The addresses of both ends of the link to the host, with prefixes; None if relays are used instead."""

    @property
    def loopback_range(self) -> str | None:
        """The external range, if it is in the loopback range of the host."""
        return self.external_cidr if ip_network(self.external_cidr).is_loopback else None


class Network:
    """A bridge in a namespace of its own, with listening sockets for metadata and host services. The cloud serves them;
    they stay open here, so that connections wait while it restarts."""

    def __init__(self, plan: NetworkPlan, settings: HostSettings, *, leads_to_host: bool) -> None:
        self.id = plan.id
        self.namespace = NetworkNamespace()
        self._plan = NetworkPlan(plan.id, ())
        self.leads_to_host = leads_to_host
        self.listeners: dict[tuple[str, int], socket.socket] = {}
        self.neighbours: frozenset[str] = frozenset()
        """The addresses in use."""
        self._devices: dict[str, tuple[NetworkNamespace, str]] = {"": (self.namespace, BRIDGE)}
        """The devices in it, by cable."""
        # Frames that the bridge forwards bypass the rules of its namespace.
        self.namespace.set(**{f"bridge__bridge-nf-call-{name}tables": 0 for name in ("ip", "ip6", "arp")})
        mac = _bridge_mac(plan.id)
        with self.namespace.netlink() as netlink:
            netlink.add_bridge(BRIDGE)
            bridge = netlink.need(BRIDGE)
            netlink.set_link(bridge, mac=mac)
            netlink.add_address(bridge, f"{METADATA_ADDRESS}/32")
            allow_next_hops(BRIDGE, self.neighbours, bridge_mac=mac).commit()
        if plan.external:
            self._open_to_host(settings)
        self.listen(settings)
        self.apply(plan, settings)

    def listen(self, settings: HostSettings) -> None:
        wanted = {
            (METADATA_ADDRESS, 80),
            *((service.relay, service.port) for service in settings.host_services),
        }
        for place in self.listeners.keys() - wanted:
            self.listeners.pop(place).close()
        with self.namespace.netlink() as netlink:
            bridge = netlink.need(BRIDGE)
            for relay in {service.relay for service in settings.host_services}:
                netlink.add_address(bridge, f"{relay}/32")
        for place in wanted - self.listeners.keys():
            self.listeners[place] = self.namespace.listen(*place)

    def apply(self, plan: NetworkPlan, settings: HostSettings) -> None:
        if plan == self._plan:
            return
        with self.namespace.netlink() as netlink:
            bridge = netlink.need(BRIDGE)
            for route in _ranges(self._plan, bridge) - _ranges(plan, bridge):
                _remove_route(netlink, route)
            for route in _ranges(plan, bridge) - _ranges(self._plan, bridge):
                netlink.add_route(route)
            for gateway, address in _gateways(plan, settings):
                netlink.add_address(bridge, address)
                if settings.loopback_range:
                    netlink.add_route(
                        Route(settings.loopback_range, device=bridge, source=gateway, table=LOCAL)
                    )
        self._plan = plan

    def own_addresses(self, settings: HostSettings) -> list[str]:
        """The addresses of its bridge, with prefixes."""
        relays = [f"{service.relay}/32" for service in settings.host_services]
        return [*relays, *(address for _, address in _gateways(self._plan, settings))]

    def set_neighbours(self, wanted: frozenset[str]) -> None:
        added, removed = wanted - self.neighbours, self.neighbours - wanted
        self.neighbours = wanted
        if added or removed:
            for namespace, device in self._devices.values():
                with in_network_namespace(namespace.fd):
                    change_next_hops(device, added, removed).commit()

    def connect(self, name: str, to: NetworkNamespace, device: str) -> None:
        """Connects another namespace to the bridge by a veth pair. An old one of this name is removed."""
        with self.namespace.netlink() as netlink:
            left = netlink.index(name)
            if left is not None:
                netlink.remove_link(left)
            netlink.add_pair(name, device, to.fd, master=netlink.need(BRIDGE))
        with in_network_namespace(to.fd):
            allow_next_hops(device, self.neighbours).commit()
        self._devices[name] = (to, device)

    def disconnect(self, name: str) -> None:
        namespace, device = self._devices.pop(name)
        with namespace.netlink() as netlink:
            index = netlink.index(device)
            if index is not None:
                netlink.remove_link(index)
            remove_next_hops(device).commit()

    def _open_to_host(self, settings: HostSettings) -> None:
        self.namespace.set(ipv4__ip_forward=1)
        if settings.loopback_range:
            self.namespace.set(ipv4__conf__all__route_localnet=1)
        if settings.host_link is None or not self.leads_to_host:
            return
        host, other = settings.host_link
        with Netlink() as outside:
            left = outside.index(settings.host_device)
            if left is not None:
                # The namespaces of a killed holder may not be gone yet.
                outside.remove_link(left)
            outside.add_pair(settings.host_device, _TO_HOST, self.namespace.fd)
            device = outside.need(settings.host_device)
            outside.add_address(device, host)
            outside.set_link(device)
            with self.namespace.netlink() as inside:
                here = inside.need(_TO_HOST)
                inside.add_address(here, other)
                inside.set_link(here)
                inside.add_route(Route("0.0.0.0/0", via=host.partition("/")[0], device=here))
                host_only_rules(BRIDGE, _TO_HOST).commit()
            outside.add_route(Route(settings.external_cidr, via=other.partition("/")[0], device=device))

    def add_anti_spoofing(self, cable: str, port: PortPlan, *, fresh: bool) -> None:
        with in_network_namespace(self.namespace.fd), _without_family():
            anti_spoofing_rules(cable, port, fresh=fresh).commit()

    def remove_anti_spoofing(self, cable: str) -> None:
        with in_network_namespace(self.namespace.fd), _without_family():
            remove_anti_spoofing_rules(cable).commit()

    def close(self) -> None:
        for listener in self.listeners.values():
            listener.close()
        # The kernel removes them with the namespace, but later: a new cable of the same name would fail.
        with self.namespace.netlink() as netlink:
            for name in (_TO_HOST, BRIDGE):
                if (index := netlink.index(name)) is not None:
                    netlink.remove_link(index)
        self.namespace.close()


def cable_name(port_id: str) -> str:
    return "p" + port_id.replace("-", "")[:14]


def set_addresses(netlink: Netlink, device: int, wanted: Iterable[str]) -> None:
    present, wanted = netlink.addresses(device), {_canonical(one) for one in wanted}
    for address in present - wanted:
        netlink.remove_address(device, address)
    for address in wanted - present:
        netlink.add_address(device, address)


def set_routes(netlink: Netlink, before: set[Route], wanted: set[Route]) -> None:
    """Adds all routes again: the kernel removes some together with addresses or devices."""
    for route in before - wanted:
        _remove_route(netlink, route)
    for route in sorted(wanted, key=lambda route: route.via is not None):
        # The next hop may be unreachable: users can set any.
        with _ignoring(errno.ENETUNREACH, errno.EINVAL, errno.EHOSTUNREACH, errno.ENETDOWN):
            netlink.add_route(route)


def _remove_route(netlink: Netlink, route: Route) -> None:
    with _ignoring(errno.ESRCH, errno.ENODEV, errno.ENOENT):
        netlink.remove_route(route)


class _ignoring(suppress):  # noqa: N801
    def __init__(self, *codes: int) -> None:
        super().__init__(OSError)
        self._codes = codes

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        return isinstance(error, OSError) and error.errno in self._codes


def _without_family() -> _ignoring:
    """Some kernels have no netdev family: the rules in the namespace of the server must suffice there."""
    return _ignoring(errno.EOPNOTSUPP, errno.EAFNOSUPPORT)


def _ranges(plan: NetworkPlan, bridge: int) -> set[Route]:
    """Routes for the responses of the metadata service."""
    return {
        Route(subnet.cidr, device=bridge, source=METADATA_ADDRESS)
        for subnet in plan.subnets
        if ":" not in subnet.cidr
    }


def _gateways(plan: NetworkPlan, settings: HostSettings) -> list[tuple[str, str]]:
    """The gateway addresses of the bridge of an external network, each without and with its prefix."""
    return [
        (subnet.gateway, f"{subnet.gateway}/{ip_network(subnet.cidr).prefixlen}")
        for subnet in plan.subnets
        if plan.external and subnet.gateway and _is_within(subnet.cidr, settings.external_cidr)
    ]


def _bridge_mac(network_id: str) -> str:
    """A stable MAC address: by default, a bridge takes that of one of its ports."""
    digest = hashlib.sha256(network_id.encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x0A, *digest[:5]))


def _canonical(address: str) -> str:
    plain, _, prefix = address.partition("/")
    return f"{ip_address(plain)}/{prefix}"


def _is_within(inner: str, outer: str) -> bool:
    return ":" not in inner and ip_network(inner).subnet_of(ip_network(outer))  # type: ignore[arg-type]


FindNetwork = Callable[[str], Network | None]
"""Finds a network by its id."""
