"""Router interfaces."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address, ip_network

from calor.localcloud.network import requests
from calor.localcloud.network.addresses import find_overlap
from calor.localcloud.network.port_changes import add_port, change_port, remove_port
from calor.localcloud.network.records import HOST, ROUTER_INTERFACE, Port, Records, Router, Subnet, by_id
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.types import Json

_BODY = requests.strict_shape({}, {"subnet_id": requests.uuid, "port_id": requests.uuid})


def interfaces_of(records: Records, router: Router) -> list[Port]:
    return [port for port in records.ports.find(device_id=router.id) if router.has_interface(port)]


def add_interface(networking: NetworkService, viewer: Viewer, router: Router, body: Json) -> Json:
    given = _BODY(body, "The body")
    if len(given) != 1:
        raise BadRequest("Either a subnet_id or a port_id must be given.", "BadRequest")
    if "port_id" in given:
        port = _with_port(networking, viewer, router, given["port_id"])
    else:
        port = _with_subnet(networking, viewer, router, given["subnet_id"])
    return _response(networking, router, port, [fixed["subnet_id"] for fixed in port.fixed_ips])


def remove_interface(networking: NetworkService, viewer: Viewer, router: Router, body: Json) -> Json:
    given = _BODY(body, "The body")
    if not given:
        raise BadRequest("Either a subnet_id or a port_id must be given.", "BadRequest")
    port, gone = _found(networking.records, router, given.get("port_id"), given.get("subnet_id"))
    for subnet_id in gone:
        _check_unused(networking.records, router, subnet_id)
    left = [fixed for fixed in port.fixed_ips if fixed["subnet_id"] not in gone]
    if left:
        change_port(networking, port, left)
    else:
        remove_port(networking, port)
    return _response(networking, router, port, gone)


def _with_port(networking: NetworkService, viewer: Viewer, router: Router, port_id: str) -> Port:
    records = networking.records
    port = viewer.need_own_port(port_id, "add_router_interface")
    if port.device_id:
        raise Conflict(f"Port {port.id} is in use by {port.device_id}.", "PortInUse")
    if not port.fixed_ips:
        raise BadRequest("A router port must have an address.", "BadRequest")
    subnets = by_id(records.subnets, {fixed["subnet_id"] for fixed in port.fixed_ips})
    _check_no_overlap(records, router, subnets.values())
    return change_port(
        networking,
        port,
        device_id=router.id,
        device_owner=ROUTER_INTERFACE,
        host_id=HOST,
        status="ACTIVE",
        security_groups=(),
        allowed_address_pairs=(),
        port_security_enabled=False,
    )


def _with_subnet(networking: NetworkService, viewer: Viewer, router: Router, subnet_id: str) -> Port:
    records = networking.records
    subnet = viewer.need_subnet(subnet_id)
    network = records.networks.get(subnet.network_id)
    assert network is not None
    viewer.check_uses(network, "add_router_interface")
    if not viewer.owns(network):
        raise BadRequest(
            f"Only the owner of subnet {subnet.id} can add a router interface with its gateway address:"
            " use port_id instead.",
            "BadRequest",
        )
    if subnet.gateway_ip is None:
        raise BadRequest(f"Subnet {subnet.id} must have a gateway IP.", "BadRequest")
    _check_no_overlap(records, router, [subnet])
    leg = next((port for port in interfaces_of(records, router) if _may_join(records, port, subnet)), None)
    address = {"subnet_id": subnet.id, "ip_address": subnet.gateway_ip}
    if leg:
        return change_port(networking, leg, [*leg.fixed_ips, address])
    return add_port(
        networking,
        network,
        [address],
        project_id=router.project_id,
        device_id=router.id,
        device_owner=ROUTER_INTERFACE,
        host_id=HOST,
        port_security_enabled=False,
        status="ACTIVE",
    )


def _may_join(records: Records, port: Port, subnet: Subnet) -> bool:
    """IPv6 subnets of one network share an interface."""
    if subnet.ip_version != 6 or port.network_id != subnet.network_id:
        return False
    return any(ip_address(fixed["ip_address"]).version == 6 for fixed in port.fixed_ips)


def _check_no_overlap(records: Records, router: Router, added: Iterable[Subnet]) -> None:
    interfaces = interfaces_of(records, router)
    gateway = records.ports.get(router.gateway_port_id or "")
    ports = [*interfaces, gateway] if gateway else interfaces
    present = by_id(records.subnets, {fixed["subnet_id"] for port in ports for fixed in port.fixed_ips})
    for subnet in added:
        if subnet.id in present and interfaces:
            raise BadRequest(f"Router {router.id} already has a port on subnet {subnet.id}.", "BadRequest")
        if other := find_overlap(subnet.cidr, (each.cidr for each in present.values())):
            raise BadRequest(
                f"{subnet.cidr} of subnet {subnet.id} overlaps with {other} of another interface of the router.",
                "BadRequest",
            )


def _found(
    records: Records, router: Router, port_id: str | None, subnet_id: str | None
) -> tuple[Port, list[str]]:
    """The interface, and the subnets to remove from it."""
    for port in interfaces_of(records, router):
        on = [fixed["subnet_id"] for fixed in port.fixed_ips]
        if port_id is None and subnet_id in on:
            return port, [str(subnet_id)]
        if port_id == port.id:
            if subnet_id is not None and subnet_id not in on:
                raise Conflict(f"Port {port_id} is not on subnet {subnet_id}.", "SubnetMismatchForPort")
            return port, on
    if port_id is not None:
        raise NotFound(f"Router {router.id} has no interface {port_id}.", "RouterInterfaceNotFound")
    raise NotFound(
        f"Router {router.id} has no interface on subnet {subnet_id}.", "RouterInterfaceNotFoundForSubnet"
    )


def _check_unused(records: Records, router: Router, subnet_id: str) -> None:
    subnet = records.subnets.get(subnet_id)
    span = ip_network(subnet.cidr) if subnet else None
    for floating in records.floating_ips.find(router_id=router.id):
        if span and floating.fixed_ip_address and ip_address(floating.fixed_ip_address) in span:
            raise Conflict(
                f"Router {router.id} is used by floating IPs of subnet {subnet_id}.",
                "RouterInterfaceInUseByFloatingIP",
            )
    if span and any(ip_address(route["nexthop"]) in span for route in router.routes):
        raise Conflict(
            f"Routes of router {router.id} need subnet {subnet_id}.", "RouterInterfaceInUseByRoute"
        )


def _response(networking: NetworkService, router: Router, port: Port, subnet_ids: list[str]) -> Json:
    networking.backend_sync.router(router.id)
    networking.save(networking.records.routers, router)
    return {
        "id": router.id,
        "tenant_id": router.project_id,
        "project_id": router.project_id,
        "port_id": port.id,
        "network_id": port.network_id,
        "subnet_id": subnet_ids[0],
        "subnet_ids": subnet_ids,
        "tags": router.tags,
    }
