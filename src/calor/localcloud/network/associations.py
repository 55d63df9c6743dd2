"""What leads from a floating address to a port, and how it ends."""

from __future__ import annotations

from calor.localcloud.network.documents import ROUTER_INTERFACE, FloatingIp, Port, Router
from calor.localcloud.network.state import Networking
from calor.localcloud.problems import NotFound


def router_to(networking: Networking, port: Port, subnet_id: str, external_network_id: str) -> Router:
    """The router that has a leg in the subnet and its gateway in the external network."""
    records = networking.records
    for leg in records.ports.find(network_id=port.network_id, device_owner=ROUTER_INTERFACE):
        if all(fixed["subnet_id"] != subnet_id for fixed in leg.fixed_ips):
            continue
        router = records.routers.get(leg.device_id)
        if router and router.has_interface(leg) and router.gateway_network_id == external_network_id:
            return router
    raise NotFound(
        f"External network {external_network_id} is not reachable from subnet {subnet_id}: no router leads there.",
        "ExternalGatewayForFloatingIPNotFound",
    )


def dissociate(networking: Networking, floating: FloatingIp) -> FloatingIp:
    if floating.router_id:
        networking.wiring.router(floating.router_id)
    return networking.keep(
        networking.records.floating_ips,
        floating,
        port_id=None,
        fixed_ip_address=None,
        router_id=None,
        status="DOWN",
    )


def let_go(networking: Networking, port: Port, addresses: set[str]) -> None:
    """Floating addresses and forwardings end that lead to addresses which the port no longer has."""
    records = networking.records
    for floating in records.floating_ips.find(port_id=port.id):
        if floating.fixed_ip_address not in addresses:
            dissociate(networking, floating)
    for forwarding in records.port_forwardings.find(internal_port_id=port.id):
        if forwarding.internal_ip_address not in addresses:
            records.port_forwardings.remove(forwarding.id)
