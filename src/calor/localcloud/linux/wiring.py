"""Networks, and what stands in them: a namespace with a bridge for each, and cables to routers and servers."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from calor.localcloud.linux.netlink import LOCAL, Netlink, Route
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import METADATA_ADDRESS, Door, one_way
from calor.localcloud.machinery import NetworkPlan

BRIDGE = "br"
_TO_HOST = "host"


@dataclass(frozen=True)
class Surroundings:
    """What the holder is told of the world: doors, and how the host reaches the external range."""

    doors: tuple[Door, ...]
    external_cidr: str
    host_device: str
    host_link: tuple[str, str] | None
    """Addresses of the host and of its other end, with prefixes; None where relays do it."""

    @property
    def loopback_range(self) -> str | None:
        """The external range where it is one of the host's own: such addresses need to be let out."""
        return self.external_cidr if ip_network(self.external_cidr).is_loopback else None


class Network:
    """A bridge in a namespace of its own; metadata and doors are listened for there, by whoever asks for the
    sockets. They are held here, so that those who ask meanwhile only have to wait."""

    def __init__(self, plan: NetworkPlan, around: Surroundings, *, leads_to_host: bool) -> None:
        self.id = plan.id
        self.namespace = NetworkNamespace()
        self._plan = NetworkPlan(plan.id, ())
        self.leads_to_host = leads_to_host
        self.listeners: dict[int, socket.socket] = {}
        with self.namespace.netlink() as netlink:
            netlink.add_bridge(BRIDGE)
            netlink.add_address(netlink.need(BRIDGE), f"{METADATA_ADDRESS}/32")
        if plan.external:
            self._open_to_host(around)
        self.listen(around)
        self.apply(plan, around)

    def listen(self, around: Surroundings) -> None:
        wanted = {80, *(door.port for door in around.doors)}
        for port in self.listeners.keys() - wanted:
            self.listeners.pop(port).close()
        for port in wanted - self.listeners.keys():
            self.listeners[port] = self.namespace.listen(METADATA_ADDRESS, port)

    def apply(self, plan: NetworkPlan, around: Surroundings) -> None:
        if plan == self._plan:
            return
        with self.namespace.netlink() as netlink:
            bridge = netlink.need(BRIDGE)
            for route in _ranges(self._plan, bridge) - _ranges(plan, bridge):
                _removed(netlink, route)
            for route in _ranges(plan, bridge) - _ranges(self._plan, bridge):
                netlink.add_route(route)
            if plan.external:
                for subnet in plan.subnets:
                    if subnet.gateway and _is_within(subnet.cidr, around.external_cidr):
                        netlink.add_address(bridge, f"{subnet.gateway}/{ip_network(subnet.cidr).prefixlen}")
                        if around.loopback_range:
                            netlink.add_route(
                                Route(
                                    around.loopback_range, device=bridge, source=subnet.gateway, table=LOCAL
                                )
                            )
        self._plan = plan

    def _open_to_host(self, around: Surroundings) -> None:
        self.namespace.set(ipv4__ip_forward=1)
        if around.loopback_range:
            self.namespace.set(ipv4__conf__all__route_localnet=1)
        if around.host_link is None or not self.leads_to_host:
            return
        host, other = around.host_link
        with Netlink() as outside:
            left = outside.index(around.host_device)
            if left is not None:
                # Of a holder that was killed, whose namespaces are not quite gone.
                outside.remove_link(left)
            outside.add_pair(around.host_device, _TO_HOST, self.namespace.fd)
            device = outside.need(around.host_device)
            outside.add_address(device, host)
            outside.set_link(device)
            with self.namespace.netlink() as inside:
                here = inside.need(_TO_HOST)
                inside.add_address(here, other)
                inside.set_link(here)
                inside.add_route(Route("0.0.0.0/0", via=host.partition("/")[0], device=here))
                one_way(BRIDGE, _TO_HOST).commit()
            outside.add_route(Route(around.external_cidr, via=other.partition("/")[0], device=device))

    def close(self) -> None:
        for listener in self.listeners.values():
            listener.close()
        # Its devices go with the namespace, but only when the last one lets go of it; cables would be in the way of
        # others of the same name.
        with self.namespace.netlink() as netlink:
            for name in (_TO_HOST, BRIDGE):
                if (index := netlink.index(name)) is not None:
                    netlink.remove_link(index)
        self.namespace.close()


def cable(network: Network, name: str, to: NetworkNamespace, device: str) -> None:
    """Leads from a network's bridge to another namespace. What was left of an earlier one is removed."""
    with network.namespace.netlink() as netlink:
        left = netlink.index(name)
        if left is not None:
            netlink.remove_link(left)
        netlink.add_pair(name, device, to.fd, master=netlink.need(BRIDGE))


def cable_name(port_id: str) -> str:
    return "p" + port_id.replace("-", "")[:14]


def set_addresses(netlink: Netlink, device: int, wanted: Iterable[str]) -> None:
    present, wanted = netlink.addresses(device), {_canonical(one) for one in wanted}
    for address in present - wanted:
        netlink.remove_address(device, address)
    for address in wanted - present:
        netlink.add_address(device, address)


def set_routes(netlink: Netlink, before: set[Route], wanted: set[Route]) -> None:
    """All are told again: some go away with addresses or devices, and nobody says so."""
    for route in before - wanted:
        _removed(netlink, route)
    for route in sorted(wanted, key=lambda route: route.via is not None):
        # A next hop that cannot be reached is somebody's mistake, to be seen in what does not answer.
        with _ignoring(errno.ENETUNREACH, errno.EINVAL, errno.EHOSTUNREACH, errno.ENETDOWN):
            netlink.add_route(route)


def _removed(netlink: Netlink, route: Route) -> None:
    with _ignoring(errno.ESRCH, errno.ENODEV, errno.ENOENT):
        netlink.remove_route(route)


class _ignoring(suppress):  # noqa: N801
    def __init__(self, *codes: int) -> None:
        super().__init__(OSError)
        self._codes = codes

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        return isinstance(error, OSError) and error.errno in self._codes


def _ranges(plan: NetworkPlan, bridge: int) -> set[Route]:
    """What metadata is answered to."""
    return {
        Route(subnet.cidr, device=bridge, source=METADATA_ADDRESS)
        for subnet in plan.subnets
        if ":" not in subnet.cidr
    }


def _canonical(address: str) -> str:
    plain, _, prefix = address.partition("/")
    return f"{ip_address(plain)}/{prefix}"


def _is_within(inner: str, outer: str) -> bool:
    return ":" not in inner and ip_network(inner).subnet_of(ip_network(outer))  # type: ignore[arg-type]


Find = Callable[[str], Network | None]
"""A network by its id, if it has been told."""
