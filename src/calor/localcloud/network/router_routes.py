"""Extra routes of routers."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from calor.localcloud.network.records import Records, Router, by_id
from calor.localcloud.problems import BadRequest

Route = dict[str, str]

_MOST = 30


def check_routes(records: Records, router: Router, routes: Sequence[Route]) -> None:
    """Every next hop must be in a subnet of the router, and must not be the router itself."""
    ports = records.ports.find(device_id=router.id)
    own = {fixed["ip_address"] for port in ports for fixed in port.fixed_ips}
    subnets = by_id(records.subnets, {fixed["subnet_id"] for port in ports for fixed in port.fixed_ips})
    spans = [ip_network(subnet.cidr) for subnet in subnets.values()]
    for route in routes:
        hop = ip_address(route["nexthop"])
        if route["nexthop"] in own or not any(hop in span for span in spans):
            raise BadRequest(
                f"The next hop {route['nexthop']} is not in a subnet of router {router.id}, or is its own.",
                "InvalidRoutes",
            )


def with_routes(router: Router, added: Sequence[Route]) -> tuple[Route, ...]:
    """Existing routes are not duplicated."""
    routes = (*router.routes, *(route for route in added if route not in router.routes))
    if len(routes) > _MOST:
        raise BadRequest(f"A router has at most {_MOST} routes.", "RoutesExhausted")
    return routes


def without_routes(router: Router, removed: Sequence[Route]) -> tuple[Route, ...]:
    """Missing routes are ignored."""
    return tuple(route for route in router.routes if route not in removed)
