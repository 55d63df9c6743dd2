"""Ports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from calor.localcloud.network import requests
from calor.localcloud.network.fixed_ips import FixedIp
from calor.localcloud.network.kinds import DESCRIPTION, NAME, UP, Attribute, Given, Kind, shown
from calor.localcloud.network.port_changes import add_port, change_port, normalize_pairs, remove_port
from calor.localcloud.network.problems import forbidden
from calor.localcloud.network.qos import need_policy
from calor.localcloud.network.records import Network, Port, Records, by_id
from calor.localcloud.network.resources import Resource, Views, find_by, routes_of
from calor.localcloud.network.security_groups import ensure_default, need_group
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.trunk_details import check_not_in_trunk, trunk_details
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import listing, mapping, nullable, one_of, text
from calor.localcloud.store import Collection

_FIXED_IPS = requests.distinct(
    listing(requests.strict_shape({}, {"subnet_id": requests.uuid, "ip_address": requests.address}))
)
_PAIRS = listing(
    requests.strict_shape({"ip_address": requests.address_or_cidr}, {"mac_address": nullable(requests.mac)}),
    longest=10,
)
_DHCP_OPTIONS = listing(
    requests.strict_shape(
        {"opt_name": text(64, shortest=1), "opt_value": nullable(text(255))},
        {"ip_version": requests.whole(4, 6)},
    )
)
_VNIC_TYPES = (
    "normal",
    "direct",
    "macvtap",
    "baremetal",
    "direct-physical",
    "virtio-forwarder",
    "smart-nic",
    "vdpa",
    "accelerator-direct",
    "accelerator-direct-physical",
    "remote-managed",
)
_OWNERS_ONLY = ("mac_address", "port_security_enabled", "allowed_address_pairs")
"""Attributes that only the owner of the network can set."""

KIND = Kind(
    "port",
    "ports",
    "Port",
    (
        NAME,
        DESCRIPTION,
        UP,
        Attribute("network_id", requests.uuid, fixed=True, required=True),
        Attribute("mac_address", requests.mac),
        Attribute("fixed_ips", _FIXED_IPS),
        Attribute("device_id", text(255)),
        Attribute("device_owner", text(255)),
        Attribute("security_groups", nullable(requests.distinct(listing(requests.uuid, longest=20)))),
        Attribute("port_security_enabled", requests.flag),
        Attribute("allowed_address_pairs", nullable(_PAIRS)),
        Attribute("extra_dhcp_opts", nullable(_DHCP_OPTIONS)),
        Attribute("dns_name", requests.dns_name),
        Attribute("dns_domain", requests.dns_name),
        Attribute("qos_policy_id", nullable(requests.uuid)),
        Attribute("propagate_uplink_status", requests.flag),
        Attribute(
            "numa_affinity_policy",
            nullable(one_of("required", "preferred", "legacy", "socket")),
            admins=True,
            default=None,
            hidden=True,
        ),
        Attribute("tags", requests.tags, fixed=True),
        Attribute("binding:vnic_type", one_of(*_VNIC_TYPES), field="vnic_type"),
        Attribute(
            "binding:host_id", nullable(text(255)), admins=True, default="", hidden=True, field="host_id"
        ),
        Attribute(
            "binding:profile", nullable(mapping), admins=True, default={}, hidden=True, field="profile"
        ),
        *(Attribute(name, hidden=True) for name in ("binding:vif_type", "binding:vif_details")),
        *shown("status", "dns_assignment", "ip_allocation", "qos_network_policy_id"),
        Attribute("resource_request", hidden=True),
    ),
)


def create_port(networking: NetworkService, viewer: Viewer, given: Given) -> Port:
    network = viewer.need_network(given.pop("network_id"))
    viewer.check_uses(network, "create_port")
    wanted = given.pop("fixed_ips", None)
    _check_ownership(viewer, network, given, wanted, "create_port")
    _check_device(viewer, given.get("device_id", ""))
    _normalize(given)
    given.setdefault("port_security_enabled", network.port_security_enabled)
    if given.get("security_groups") is None:
        guarded = given["port_security_enabled"] and not given.get("device_owner", "").startswith("network:")
        given["security_groups"] = (ensure_default(networking, given["project_id"]).id,) if guarded else ()
    else:
        _check_groups(viewer, given["security_groups"])
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
    pairs = given.pop("allowed_address_pairs", ())
    port = add_port(networking, network, wanted, **given)
    if not pairs:
        return port
    return change_port(networking, port, allowed_address_pairs=normalize_pairs(pairs, port.mac_address))


def update_port(networking: NetworkService, viewer: Viewer, port: Port, given: Given) -> Port:
    network = networking.records.networks.get(port.network_id)
    assert network is not None
    wanted = given.pop("fixed_ips", None)
    _check_ownership(viewer, network, given, wanted, "update_port")
    if given.get("device_id", port.device_id) != port.device_id:
        _check_device(viewer, given["device_id"])
        # The device was set by a user.
        given.setdefault("host_id", "")
    _normalize(given)
    if "security_groups" in given:
        given["security_groups"] = given["security_groups"] or ()
        _check_groups(viewer, [each for each in given["security_groups"] if each not in port.security_groups])
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
    if "allowed_address_pairs" in given:
        mac = given.get("mac_address", port.mac_address)
        given["allowed_address_pairs"] = normalize_pairs(given["allowed_address_pairs"], mac)
    return change_port(networking, port, wanted, **given)


def delete_port(networking: NetworkService, viewer: Viewer, port: Port) -> None:
    if port.device_owner.startswith(("network:router", "network:floatingip")):
        raise Conflict(
            f"Port {port.id} cannot be deleted directly: it is owned by {port.device_owner} {port.device_id}.",
            "ServicePortInUse",
        )
    check_not_in_trunk(networking.records, port)
    remove_port(networking, port)


def details(viewer: Viewer, ports: Sequence[Port]) -> Views:
    networks = by_id(viewer.records.networks, {port.network_id for port in ports})
    trunks = trunk_details(viewer.records, [port.id for port in ports])
    return {
        port.id: {
            "dns_assignment": _dns_assignment(port),
            "ip_allocation": "immediate" if port.fixed_ips else "none",
            "qos_network_policy_id": networks[port.network_id].qos_policy_id,
            "binding:vif_type": "ovs" if port.host_id else "unbound",
            "binding:vif_details": {"port_filter": True} if port.host_id else {},
            "resource_request": None,
            **({"trunk_details": trunks[port.id]} if port.id in trunks else {}),
        }
        for port in ports
    }


def _dns_assignment(port: Port) -> list[dict[str, str]]:
    domain = port.dns_domain or "openstacklocal."
    assigned = []
    for fixed in port.fixed_ips:
        address = fixed["ip_address"]
        host = port.dns_name or "host-" + address.replace(".", "-").replace(":", "-")
        assigned.append({"ip_address": address, "hostname": host, "fqdn": f"{host}.{domain}"})
    return assigned


def _normalize(given: Given) -> None:
    """Null stands for an empty value."""
    for name, nothing in (
        ("allowed_address_pairs", ()),
        ("extra_dhcp_opts", ()),
        ("host_id", ""),
        ("profile", {}),
    ):
        if name in given and given[name] is None:
            given[name] = nothing
    # An option without a value is one that is taken away.
    if "extra_dhcp_opts" in given:
        given["extra_dhcp_opts"] = tuple(
            {"ip_version": 4, **option}
            for option in given["extra_dhcp_opts"]
            if option["opt_value"] is not None
        )


def _check_ownership(
    viewer: Viewer, network: Network, given: Given, wanted: Sequence[FixedIp] | None, action: str
) -> None:
    if viewer.owns(network):
        return
    for name in _OWNERS_ONLY:
        if name in given:
            raise forbidden(f"{action}:{name}")
    if any("ip_address" in each for each in wanted or ()):
        raise forbidden(f"{action}:fixed_ips:ip_address")
    if given.get("device_owner", "").startswith("network:"):
        raise forbidden(f"{action}:device_owner")


def _check_device(viewer: Viewer, device_id: str) -> None:
    """Users can set only devices of their own project. Servers are recognized by their ports."""
    if viewer.admin or not device_id:
        return
    router = viewer.records.routers.get(device_id)
    attached = [port for port in viewer.records.ports.find(device_id=device_id) if port.in_server]
    owners = [router] if router else attached
    if owners and not any(viewer.owns(each) for each in owners):
        raise Conflict(f"Device {device_id} belongs to another project.", "DeviceIDNotOwnedByTenant")


def _check_groups(viewer: Viewer, ids: Iterable[str]) -> None:
    for id in ids:
        need_group(viewer, id)


def _in_groups(records: Records, groups: Sequence[str]) -> Iterable[Port]:
    members = {each.port_id for each in records.memberships.find_in("group_id", groups)}
    return by_id(records.ports, members).values()


def _with_addresses(records: Records, wanted: Sequence[str]) -> Iterable[Port]:
    """Ports that have one of the addresses, or any on one of the subnets: the list is narrowed down further."""
    pairs = [each.partition("=")[::2] for each in wanted]
    addresses = [value for member, value in pairs if member == "ip_address"]
    subnets = [value for member, value in pairs if member == "subnet_id"]
    if addresses:
        found = records.allocations.find_in("address", addresses)
    elif subnets:
        found = records.allocations.find_in("subnet_id", subnets)
    else:
        return records.ports.find()
    return by_id(records.ports, {each.port_id for each in found}).values()


def _visible_ports(viewer: Viewer) -> Iterable[Port]:
    """All on the project's networks, and the project's own elsewhere. Most have no ports elsewhere, so that these are
    not read unless there are some."""
    ports = viewer.records.ports
    found = ports.find_in("network_id", sorted(viewer.own_networks))
    own = sum(port.project_id == viewer.project_id for port in found)
    if viewer.project_id and ports.count(project_id=viewer.project_id) > own:
        found += ports.find(project_id=viewer.project_id)
    return {port.id: port for port in found}.values()


def _documents(records: Records) -> Collection[Port]:
    return records.ports


PORTS: Resource[Port] = Resource(
    KIND,
    "/v2.0/ports",
    _documents,
    create=create_port,
    update=update_port,
    delete=delete_port,
    details=details,
    sees=lambda viewer, port: viewer.sees_port(port),
    reach=_visible_ports,
    lookups={
        "fixed_ips": _with_addresses,
        **{field: find_by(_documents, field) for field in ("device_id", "mac_address", "network_id")},
        "security_groups": _in_groups,
    },
    quota="port",
)

ROUTES = routes_of(PORTS)
