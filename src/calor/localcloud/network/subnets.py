"""Subnets."""

from __future__ import annotations

from ipaddress import ip_network

from calor.localcloud.network import requests
from calor.localcloud.network.addresses import (
    AUTOMATIC,
    check_gateway,
    check_pools,
    default_pools,
    find_overlap,
    first_address,
)
from calor.localcloud.network.fixed_ips import add_automatic_addresses, drop_automatic_addresses
from calor.localcloud.network.kinds import DESCRIPTION, NAME, Attribute, Given, Kind
from calor.localcloud.network.prefixes import choose_range
from calor.localcloud.network.problems import invalid, missing
from calor.localcloud.network.records import SHARED, Network, Subnet
from calor.localcloud.network.resources import Resource, find_by, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import listing, nullable, one_of, text

_MODES = nullable(one_of("dhcpv6-stateful", "dhcpv6-stateless", "slaac"))
_POOLS = listing(requests.strict_shape({"start": requests.address, "end": requests.address}))


def _version(value: object, where: str) -> int:
    read = requests.whole(4, 6)(value, where)
    if read == 5:
        raise BadRequest(f"{where}: 5 is neither 4 nor 6.")
    return int(read)


KIND = Kind(
    "subnet",
    "subnets",
    "Subnet",
    (
        NAME,
        DESCRIPTION,
        Attribute("network_id", requests.uuid, fixed=True, required=True),
        Attribute("ip_version", _version, fixed=True),
        Attribute("cidr", nullable(requests.cidr), fixed=True),
        Attribute("gateway_ip", nullable(requests.address)),
        Attribute("allocation_pools", _POOLS),
        Attribute("dns_nameservers", requests.distinct(listing(requests.address, longest=20))),
        Attribute("host_routes", requests.routes),
        Attribute("enable_dhcp", requests.flag),
        Attribute("ipv6_ra_mode", _MODES, fixed=True),
        Attribute("ipv6_address_mode", _MODES, fixed=True),
        Attribute("subnetpool_id", nullable(text(255)), fixed=True),
        Attribute("use_default_subnetpool", requests.flag, fixed=True, unseen=True),
        Attribute("prefixlen", requests.whole(0, 128), fixed=True, unseen=True),
        Attribute("segment_id", nullable(requests.uuid), admins=True, default=None),
        Attribute("service_types", requests.distinct(listing(text(255))), admins=True, default=()),
        Attribute("dns_publish_fixed_ip", requests.flag),
    ),
)


def create_subnet(networking: NetworkService, viewer: Viewer, given: Given) -> Subnet:
    records = networking.records
    network = viewer.need_network(given["network_id"])
    viewer.check_owns(network, "create_subnet")
    version = given.get("ip_version")
    cidr, pool_id = choose_range(networking, viewer, network, given)
    if ip_network(cidr).version != (version or ip_network(cidr).version):
        raise invalid(f"cidr '{cidr}' does not match the ip_version '{version}'.")
    version = ip_network(cidr).version
    _check_modes(given, cidr)
    siblings = records.subnets.find(network_id=network.id)
    if other := find_overlap(cidr, (each.cidr for each in siblings)):
        raise invalid(f"{cidr} overlaps with {other}, which is a subnet of network {network.id} already.")
    _check_segment(networking, network, given.get("segment_id"))
    gateway = given["gateway_ip"] if "gateway_ip" in given else first_address(cidr)
    check_gateway(cidr, gateway)
    pools = given.get("allocation_pools")
    if pools is None:
        pools = default_pools(cidr, gateway)
    check_pools(cidr, gateway, pools)
    _check_versions(version, given)
    settled = {
        "cidr": cidr,
        "ip_version": version,
        "gateway_ip": gateway,
        "allocation_pools": pools,
        "subnetpool_id": pool_id,
    }
    subnet = records.subnets.add(networking.new_record(Subnet, {**given, **settled}))
    networking.save(records.networks, network)
    add_automatic_addresses(networking, subnet)
    networking.backend_sync.network(network.id)
    return subnet


def update_subnet(networking: NetworkService, viewer: Viewer, subnet: Subnet, given: Given) -> Subnet:
    records = networking.records
    gateway = given.get("gateway_ip", subnet.gateway_ip)
    pools = given.get("allocation_pools", subnet.allocation_pools)
    if gateway != subnet.gateway_ip:
        check_gateway(subnet.cidr, gateway)
        _check_gateway_free(networking, subnet)
    check_pools(subnet.cidr, gateway, pools)
    _check_versions(subnet.ip_version, given)
    if given.get("segment_id"):
        network = records.networks.get(subnet.network_id)
        assert network is not None
        _check_segment(networking, network, given["segment_id"])
    updated = networking.save(records.subnets, subnet, **given)
    networking.backend_sync.network(subnet.network_id)
    networking.backend_sync.ports_on(subnet.network_id)
    return updated


def delete_subnet(networking: NetworkService, viewer: Viewer, subnet: Subnet) -> None:
    records = networking.records
    drop_automatic_addresses(networking, subnet)
    if records.allocations.count(subnet_id=subnet.id):
        raise Conflict(
            f"Subnet {subnet.id} is in use: ports have addresses of it.",
            "SubnetInUse",
        )
    networking.ipam.close(subnet.id)
    records.subnets.remove(subnet.id)
    network = records.networks.get(subnet.network_id)
    assert network is not None
    networking.save(records.networks, network)
    networking.backend_sync.network(subnet.network_id)


def _check_modes(given: Given, cidr: str) -> None:
    span = ip_network(cidr)
    modes = {given.get("ipv6_ra_mode"), given.get("ipv6_address_mode")} - {None}
    if modes and span.version == 4:
        raise invalid("ipv6_ra_mode and ipv6_address_mode are for IPv6 only.")
    if modes and not given.get("enable_dhcp", True):
        raise invalid("ipv6_ra_mode and ipv6_address_mode cannot be set when enable_dhcp is false.")
    if len(modes) > 1:
        raise invalid("ipv6_ra_mode and ipv6_address_mode must be the same.")
    if modes & set(AUTOMATIC) and span.prefixlen != 64:
        raise invalid("subnets with SLAAC or stateless DHCPv6 must have a prefix length of 64.")


def _check_versions(version: int, given: Given) -> None:
    for route in given.get("host_routes", ()):
        if {ip_network(route["destination"]).version, ip_network(route["nexthop"]).version} != {version}:
            raise invalid(f"the host route to {route['destination']} is not an IPv{version} route.")
    for server in given.get("dns_nameservers", ()):
        if ip_network(server).version != version:
            raise invalid(f"the name server {server} is not an IPv{version} address.")


def _check_gateway_free(networking: NetworkService, subnet: Subnet) -> None:
    port_id = networking.ipam.holder(subnet.id, subnet.gateway_ip) if subnet.gateway_ip else None
    port = networking.records.ports.get(port_id) if port_id else None
    if port and port.device_owner.startswith("network:router_interface"):
        raise Conflict(
            f"The gateway {subnet.gateway_ip} is in use by port {port.id}.",
            "GatewayIpInUse",
        )


def _check_segment(networking: NetworkService, network: Network, segment_id: str | None) -> None:
    segment = networking.records.segments.get(segment_id) if segment_id else None
    if segment_id and (segment is None or segment.network_id != network.id):
        raise missing("Segment", segment_id)


SUBNETS: Resource[Subnet] = Resource(
    KIND,
    "/v2.0/subnets",
    lambda records: records.subnets,
    create=create_subnet,
    update=update_subnet,
    delete=delete_subnet,
    sees=lambda viewer, subnet: viewer.sees_subnet(subnet),
    shared=lambda viewer: viewer.records.subnets.find_in(
        "network_id", sorted(viewer.granted("network", SHARED) | viewer.own_networks)
    ),
    lookups={"network_id": find_by(lambda records: records.subnets, "network_id")},
    quota="subnet",
)

ROUTES = routes_of(SUBNETS)
