"""Networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, NAME, SHARED_FLAG, UP, Attribute, Given, Kind, shown
from calor.localcloud.network.port_changes import remove_port
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.provider import PROVIDER, add_segment, provider_of
from calor.localcloud.network.qos import need_policy
from calor.localcloud.network.records import EXTERNAL, SHARED, Network
from calor.localcloud.network.resources import Resource, Views, find_by, routes_of
from calor.localcloud.network.scopes import scopes_of
from calor.localcloud.network.security_groups import ensure_default
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.sharing import forget_sharing, is_shared, share, shared_with, unshare
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import listing, nullable, text

_ZONE = "nova"

KIND = Kind(
    "network",
    "networks",
    "Network",
    (
        NAME,
        DESCRIPTION,
        UP,
        SHARED_FLAG,
        Attribute("router:external", requests.flag, admins=True, default=False, field="external"),
        Attribute("is_default", requests.flag, admins=True, default=False),
        Attribute("mtu", requests.whole(68, 65535)),
        Attribute("port_security_enabled", requests.flag),
        Attribute("dns_domain", requests.dns_name),
        Attribute("qos_policy_id", nullable(requests.uuid)),
        Attribute("vlan_transparent", nullable(requests.flag), fixed=True),
        Attribute("availability_zone_hints", listing(text(255)), fixed=True),
        *PROVIDER,
        *shown(
            "status",
            "subnets",
            "availability_zones",
            "ipv4_address_scope",
            "ipv6_address_scope",
            "l2_adjacency",
        ),
    ),
)


def create_network(networking: NetworkService, viewer: Viewer, given: Given) -> Network:
    records = networking.records
    shared = given.pop("shared", False)
    provider = {each.key: given.pop(each.key, None) for each in PROVIDER}
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
    if given.get("is_default"):
        _replace_default(networking)
    ensure_default(networking, given["project_id"])
    network = records.networks.add(networking.new_record(Network, given))
    add_segment(networking, network, provider)
    if shared:
        share(records, "network", network)
    if network.external:
        share(records, "network", network, EXTERNAL)
    networking.backend_sync.network(network.id)
    return network


def update_network(networking: NetworkService, viewer: Viewer, network: Network, given: Given) -> Network:
    records = networking.records
    shared = given.pop("shared", None)
    for each in PROVIDER:
        if each.key in given:
            raise invalid("provider attributes of a network cannot be changed.")
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
    if given.get("is_default"):
        _replace_default(networking)
    if shared is not None:
        _set_shared(networking, network, shared)
    external = given.get("external")
    if external is True:
        share(records, "network", network, EXTERNAL)
    elif external is False and network.external:
        if records.ports.count(network_id=network.id):
            raise Conflict(
                f"Network {network.id} cannot become internal while there are ports on it.",
                "ExternalNetworkInUse",
            )
        unshare(records, network.id, EXTERNAL)
    networking.backend_sync.network(network.id)
    return networking.save(records.networks, network, **given)


def delete_network(networking: NetworkService, viewer: Viewer, network: Network) -> None:
    records = networking.records
    ports = records.ports.find(network_id=network.id)
    if any(not port.device_owner.startswith("network:dhcp") for port in ports):
        raise Conflict(
            f"Unable to complete operation on network {network.id}."
            " There are one or more ports still in use on the network.",
            "NetworkInUse",
        )
    for port in ports:
        remove_port(networking, port)
    for subnet in records.subnets.find(network_id=network.id):
        networking.ipam.close(subnet.id)
        records.subnets.remove(subnet.id)
    records.segments.remove_where(network_id=network.id)
    forget_sharing(records, network.id)
    records.networks.remove(network.id)
    networking.backend_sync.network(network.id)


def details(viewer: Viewer, networks: Sequence[Network]) -> Views:
    records = viewer.records
    ids = [network.id for network in networks]
    subnets: dict[str, list[Any]] = {id: [] for id in ids}
    for subnet in records.subnets.find_in("network_id", ids):
        subnets[subnet.network_id].append(subnet)
    shared = viewer.granted("network", SHARED)
    providers: Mapping[str, Mapping[str, object]] = provider_of(records, ids) if viewer.admin else {}
    scopes = scopes_of(records, subnets)
    return {
        network.id: {
            "shared": network.id in shared,
            "subnets": [subnet.id for subnet in subnets[network.id]],
            "availability_zones": [_ZONE] if subnets[network.id] else [],
            "l2_adjacency": all(subnet.segment_id is None for subnet in subnets[network.id]),
            **scopes[network.id],
            **providers.get(network.id, {}),
        }
        for network in networks
    }


def _set_shared(networking: NetworkService, network: Network, shared: bool) -> None:
    records = networking.records
    if shared:
        share(records, "network", network)
    elif is_shared(records, network.id):
        others = {port.project_id for port in records.ports.find(network_id=network.id)}
        if others - {network.project_id, ""}:
            raise Conflict(
                f"Network {network.id} cannot be unshared: other projects have ports on it.",
                "InvalidSharedSetting",
            )
        unshare(records, network.id)


def _replace_default(networking: NetworkService) -> None:
    for other in networking.records.networks.find(is_default=True):
        networking.save(networking.records.networks, other, is_default=False)


NETWORKS: Resource[Network] = Resource(
    KIND,
    "/v2.0/networks",
    lambda records: records.networks,
    create=create_network,
    update=update_network,
    delete=delete_network,
    details=details,
    sees=lambda viewer, network: viewer.sees_network(network),
    shared=shared_with("network", lambda records: records.networks, SHARED, EXTERNAL),
    lookups={"project_id": find_by(lambda records: records.networks, "project_id")},
    quota="network",
)

ROUTES = routes_of(NETWORKS)
