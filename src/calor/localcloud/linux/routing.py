"""Routers: a namespace each, with a device in every connected network."""

from __future__ import annotations

from calor.localcloud.backend import Leg, RouterPlan
from calor.localcloud.linux.netlink import LOCAL, Route
from calor.localcloud.linux.netns import NetworkNamespace
from calor.localcloud.linux.rules import GATEWAY, nat_rules
from calor.localcloud.linux.wiring import (
    FindNetwork,
    HostSettings,
    Network,
    cable_name,
    set_addresses,
    set_routes,
)


class Router:
    def __init__(self, plan: RouterPlan) -> None:
        self.plan = RouterPlan(plan.id, ())
        self._namespace = NetworkNamespace()
        self._namespace.set(ipv4__ip_forward=1, ipv6__conf__all__forwarding=1)
        self._cables: dict[str, tuple[str, Network]] = {}
        """Devices and their networks, by port."""
        self._routes: set[Route] = set()
        self._is_fresh = True

    def networks(self) -> set[str]:
        legs = [*self.plan.legs, *([self.plan.gateway] if self.plan.gateway else [])]
        return {leg.network_id for leg in legs}

    def apply(self, plan: RouterPlan, find: FindNetwork, settings: HostSettings) -> None:
        """Networks that do not exist yet are connected later, by another call."""
        if settings.loopback_range:
            self._namespace.set(ipv4__conf__all__route_localnet=1)
        self.plan = plan
        legs = _by_port(plan)
        for port, (device, network) in list(self._cables.items()):
            wanted = legs.get(port)
            if wanted is None or wanted[0] != device or wanted[1][0].network_id != network.id:
                self._disconnect(port)
        for port, (device, same) in legs.items():
            found = find(same[0].network_id)
            if found is not None and port not in self._cables:
                found.connect(cable_name(port), self._namespace, device)
                self._cables[port] = (device, found)
        wired = {port: leg for port, leg in legs.items() if port in self._cables}
        routes: set[Route] = set()
        with self._namespace.netlink() as netlink:
            for device, same in wired.values():
                index = netlink.need(device)
                netlink.set_link(index, mac=same[0].mac)
                own = [f"{leg.address}/{leg.prefix}" for leg in same]
                if device == GATEWAY:
                    own += [f"{floating}/32" for floating, _ in plan.floating]
                    if plan.next_hop:
                        anywhere = "::/0" if ":" in plan.next_hop else "0.0.0.0/0"
                        routes.add(Route(anywhere, via=plan.next_hop, device=index))
                    if settings.loopback_range:
                        routes.add(
                            Route(settings.loopback_range, device=index, source=same[0].address, table=LOCAL)
                        )
                set_addresses(netlink, index, own)
            routes |= {Route(destination, via=hop) for destination, hop in plan.routes}
            set_routes(netlink, self._routes, routes)
            nat_rules(plan, settings.loopback_range, fresh=self._is_fresh).commit()
        self._routes = routes
        self._is_fresh = False

    def forget_network(self, network_id: str) -> None:
        for port, (_, network) in list(self._cables.items()):
            if network.id == network_id:
                self._disconnect(port)

    def _disconnect(self, port: str) -> None:
        _, network = self._cables.pop(port)
        network.disconnect(cable_name(port))

    def close(self) -> None:
        for port in list(self._cables):
            self._disconnect(port)
        self._namespace.close()


def _by_port(plan: RouterPlan) -> dict[str, tuple[str, list[Leg]]]:
    """The device and all addresses of each port."""
    found: dict[str, tuple[str, list[Leg]]] = {}
    for leg in plan.legs:
        found.setdefault(leg.port_id, (cable_name(leg.port_id), []))[1].append(leg)
    if plan.gateway is not None:
        found[plan.gateway.port_id] = (GATEWAY, [plan.gateway])
    return found
