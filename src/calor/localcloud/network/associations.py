"""Associations of floating IPs with ports."""

from __future__ import annotations

from calor.localcloud.network.records import ROUTER_INTERFACE, FloatingIp, Port, Router, by_id
from calor.localcloud.network.service import NetworkService
from calor.localcloud.problems import NotFound


def router_to(networking: NetworkService, floating: FloatingIp, port: Port, subnet_id: str) -> Router:
    """The router that has a leg in the subnet and its gateway in the external network. On a shared network there may be
    several: that of the floating address's owner is best, then that of the network's owner."""
    records, external = networking.records, floating.floating_network_id
    legs = [
        leg
        for leg in records.ports.find(network_id=port.network_id, device_owner=ROUTER_INTERFACE)
        if any(fixed["subnet_id"] == subnet_id for fixed in leg.fixed_ips)
    ]
    routers = by_id(records.routers, {leg.device_id for leg in legs})
    choices = [
        router
        for leg in legs
        if (router := routers.get(leg.device_id))
        and router.has_interface(leg)
        and router.gateway_network_id == external
    ]
    if not choices:
        raise NotFound(
            f"External network {external} is not reachable from subnet {subnet_id}: no router connects them.",
            "ExternalGatewayForFloatingIPNotFound",
        )
    network = records.networks.get(port.network_id)
    owners = (floating.project_id, network.project_id if network else "")
    return min(choices, key=lambda router: [router.project_id != owner for owner in owners])


def dissociate(networking: NetworkService, floating: FloatingIp) -> FloatingIp:
    if floating.router_id:
        networking.backend_sync.router(floating.router_id)
    return networking.save(
        networking.records.floating_ips,
        floating,
        port_id=None,
        fixed_ip_address=None,
        router_id=None,
        status="DOWN",
    )


def dissociate_removed(networking: NetworkService, port: Port, addresses: set[str]) -> None:
    """Dissociates floating IPs, and removes port forwardings, whose fixed IP was removed from the port."""
    records = networking.records
    for floating in records.floating_ips.find(port_id=port.id):
        if floating.fixed_ip_address not in addresses:
            dissociate(networking, floating)
    for forwarding in records.port_forwardings.find(internal_port_id=port.id):
        if forwarding.internal_ip_address not in addresses:
            records.port_forwardings.remove(forwarding.id)
