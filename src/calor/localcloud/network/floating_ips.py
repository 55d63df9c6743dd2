"""Floating ips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calor.localcloud.network import requests
from calor.localcloud.network.associations import dissociate, router_to
from calor.localcloud.network.kinds import DESCRIPTION, Attribute, Given, Kind, shown
from calor.localcloud.network.port_changes import add_port, remove_port
from calor.localcloud.network.port_forwardings import show_briefly
from calor.localcloud.network.qos import need_policy
from calor.localcloud.network.records import FLOATING_IP, FloatingIp, Port, Records, by_id, new_id
from calor.localcloud.network.resources import Resource, Views, find_by, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import nullable
from calor.localcloud.store import Collection
from calor.localcloud.types import Json

KIND = Kind(
    "floatingip",
    "floatingips",
    "FloatingIP",
    (
        DESCRIPTION,
        Attribute("floating_network_id", requests.uuid, fixed=True, required=True),
        Attribute("subnet_id", nullable(requests.uuid), fixed=True, unseen=True),
        Attribute("floating_ip_address", nullable(requests.address), fixed=True, admins=True, default=None),
        Attribute("port_id", nullable(requests.uuid)),
        Attribute("fixed_ip_address", nullable(requests.address)),
        Attribute("qos_policy_id", nullable(requests.uuid)),
        Attribute("dns_name", requests.dns_name, fixed=True),
        Attribute("dns_domain", requests.dns_name, fixed=True),
        *shown("router_id", "status", "port_details", "port_forwardings"),
        Attribute("qos_network_policy_id"),
    ),
)


def create_floating_ip(networking: NetworkService, viewer: Viewer, given: Given) -> FloatingIp:
    records = networking.records
    network = viewer.need_network(given["floating_network_id"])
    if not network.external:
        raise BadRequest(f"Network {network.id} is not a valid external network.", "BadRequest")
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
    id = new_id()
    wish = {"subnet_id": given.pop("subnet_id", None), "ip_address": given.pop("floating_ip_address", None)}
    wanted = {name: value for name, value in wish.items() if value}
    holder = add_port(
        networking,
        network,
        [wanted] if wanted else None,
        project_id="",
        device_id=id,
        device_owner=FLOATING_IP,
        port_security_enabled=False,
        status="N/A",
    )
    addresses = [fixed["ip_address"] for fixed in holder.fixed_ips if ":" not in fixed["ip_address"]]
    if not addresses:
        raise BadRequest(f"Network {network.id} has no IPv4 subnet.", "BadRequest")
    port_id, fixed_ip = given.pop("port_id", None), given.pop("fixed_ip_address", None)
    floating = networking.new_record(
        FloatingIp, given, id=id, floating_ip_address=addresses[0], floating_port_id=holder.id
    )
    if port_id:
        floating = _associate(networking, viewer, floating, port_id, fixed_ip)
    elif fixed_ip:
        raise BadRequest("fixed_ip_address requires a port_id.", "BadRequest")
    return records.floating_ips.add(floating)


def update_floating_ip(
    networking: NetworkService, viewer: Viewer, floating: FloatingIp, given: Given
) -> FloatingIp:
    records = networking.records
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
    named, fixed_ip = "port_id" in given, given.pop("fixed_ip_address", None)
    port_id = given.pop("port_id", floating.port_id)
    if records.port_forwardings.count(floating_ip_id=floating.id) and port_id:
        raise Conflict(
            f"Floating IP {floating.id} has port forwardings and cannot be associated with a port.",
            "FipInUseByPortForwarding",
        )
    if port_id and (named or fixed_ip):
        before = floating
        floating = _associate(networking, viewer, floating, port_id, fixed_ip)
        if before.router_id and before.router_id != floating.router_id:
            networking.backend_sync.router(before.router_id)
    elif named and floating.port_id:
        floating = dissociate(networking, floating)
    elif fixed_ip:
        raise BadRequest("fixed_ip_address requires a port_id.", "BadRequest")
    return networking.save(records.floating_ips, floating, **given)


def delete_floating_ip(networking: NetworkService, viewer: Viewer, floating: FloatingIp) -> None:
    records = networking.records
    records.port_forwardings.remove_where(floating_ip_id=floating.id)
    records.floating_ips.remove(floating.id)
    if holder := records.ports.get(floating.floating_port_id):
        remove_port(networking, holder)
    if floating.router_id:
        networking.backend_sync.router(floating.router_id)


def details(viewer: Viewer, floating_ips: Sequence[FloatingIp]) -> Views:
    records = viewer.records
    ports = by_id(records.ports, {each.port_id for each in floating_ips if each.port_id})
    networks = by_id(records.networks, {each.floating_network_id for each in floating_ips})
    forwardings: dict[str, list[Json]] = {each.id: [] for each in floating_ips}
    for forwarding in records.port_forwardings.find_in("floating_ip_id", list(forwardings)):
        forwardings[forwarding.floating_ip_id].append(show_briefly(forwarding))
    return {
        each.id: {
            "port_details": _port_details(ports.get(each.port_id or "")),
            "port_forwardings": forwardings[each.id],
            "qos_network_policy_id": networks[each.floating_network_id].qos_policy_id,
        }
        for each in floating_ips
    }


def _port_details(port: Port | None) -> Json | None:
    shown = ("name", "network_id", "mac_address", "admin_state_up", "status", "device_id", "device_owner")
    return None if port is None else {name: getattr(port, name) for name in shown}


def _associate(
    networking: NetworkService, viewer: Viewer, floating: FloatingIp, port_id: str, fixed_ip: str | None
) -> FloatingIp:
    port = viewer.need_own_port(port_id, "update_floatingip:port_id")
    fixed = _fixed_address(port, fixed_ip)
    address = fixed["ip_address"]
    for other in networking.records.floating_ips.find(port_id=port.id):
        if other.id != floating.id and other.fixed_ip_address == address:
            raise Conflict(
                f"Floating IP {other.floating_ip_address} is already associated with {address} of port {port.id}.",
                "FloatingIPPortAlreadyAssociated",
            )
    router = router_to(networking, floating, port, fixed["subnet_id"])
    networking.backend_sync.router(router.id)
    return replace(floating, port_id=port.id, fixed_ip_address=address, router_id=router.id, status="ACTIVE")


def _fixed_address(port: Port, wanted: str | None) -> dict[str, str]:
    choices = [fixed for fixed in port.fixed_ips if ":" not in fixed["ip_address"]]
    if wanted:
        for fixed in choices:
            if fixed["ip_address"] == wanted:
                return fixed
        raise BadRequest(f"Port {port.id} does not have the fixed IP {wanted}.", "BadRequest")
    if not choices:
        raise BadRequest(f"Port {port.id} has no IPv4 address.", "BadRequest")
    if len(choices) > 1:
        raise BadRequest(
            f"Port {port.id} has multiple fixed IPv4 addresses: fixed_ip_address is required.", "BadRequest"
        )
    return choices[0]


def _documents(records: Records) -> Collection[FloatingIp]:
    return records.floating_ips


FLOATING_IPS: Resource[FloatingIp] = Resource(
    KIND,
    "/v2.0/floatingips",
    _documents,
    create=create_floating_ip,
    update=update_floating_ip,
    delete=delete_floating_ip,
    details=details,
    lookups={
        field: find_by(_documents, field)
        for field in ("port_id", "floating_ip_address", "router_id", "floating_network_id")
    },
    quota="floatingip",
)

ROUTES = routes_of(FLOATING_IPS)
