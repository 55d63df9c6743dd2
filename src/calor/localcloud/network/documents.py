"""What the network service remembers, one kind of document after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Words = Mapping[str, Any]

SHARED = "access_as_shared"
EXTERNAL = "access_as_external"
EVERYBODY = "*"

ROUTER_INTERFACE = "network:router_interface"
ROUTER_GATEWAY = "network:router_gateway"
FLOATING_IP = "network:floatingip"
COMPUTE = "compute:"
HOST = "calor"
"""Where servers and routers are."""


@dataclass(frozen=True, kw_only=True)
class Standard:
    """What every object of the service has."""

    id: str
    project_id: str
    created_at: str
    updated_at: str
    revision_number: int = 1
    description: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Network(Standard):
    name: str = ""
    admin_state_up: bool = True
    status: str = "ACTIVE"
    external: bool = False
    is_default: bool = False
    mtu: int = 1500
    port_security_enabled: bool = True
    dns_domain: str = ""
    qos_policy_id: str | None = None
    vlan_transparent: bool | None = None
    availability_zone_hints: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Segment(Standard):
    """A piece of a network at one place; every network has at least one."""

    network_id: str
    network_type: str
    physical_network: str | None = None
    segmentation_id: int | None = None
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class Subnet(Standard):
    network_id: str
    cidr: str
    ip_version: int
    name: str = ""
    gateway_ip: str | None = None
    allocation_pools: tuple[dict[str, str], ...] = ()
    dns_nameservers: tuple[str, ...] = ()
    host_routes: tuple[dict[str, str], ...] = ()
    enable_dhcp: bool = True
    ipv6_ra_mode: str | None = None
    ipv6_address_mode: str | None = None
    subnetpool_id: str | None = None
    segment_id: str | None = None
    service_types: tuple[str, ...] = ()
    dns_publish_fixed_ip: bool = False


@dataclass(frozen=True, kw_only=True)
class Port(Standard):
    network_id: str
    mac_address: str
    name: str = ""
    admin_state_up: bool = True
    status: str = "DOWN"
    device_id: str = ""
    device_owner: str = ""
    fixed_ips: tuple[dict[str, str], ...] = ()
    security_groups: tuple[str, ...] = ()
    port_security_enabled: bool = True
    allowed_address_pairs: tuple[dict[str, str], ...] = ()
    extra_dhcp_opts: tuple[dict[str, Any], ...] = ()
    dns_name: str = ""
    dns_domain: str = ""
    qos_policy_id: str | None = None
    propagate_uplink_status: bool = True
    numa_affinity_policy: str | None = None
    vnic_type: str = "normal"
    host_id: str = ""
    profile: Words = field(default_factory=dict)
    made_for_server: bool = False
    """Whether the compute service made it, and so deletes it with the server."""
    place: int = 0
    """Where it stands among the ports of its server: in the order in which they were asked for."""

    @property
    def in_server(self) -> bool:
        """Whether the compute service attached it to its device. Users may write any device into their ports, but only
        services and admins set the host."""
        return self.device_owner.startswith(COMPUTE) and bool(self.host_id)


@dataclass(frozen=True)
class Allocation:
    """An address of a subnet that is taken."""

    id: str
    subnet_id: str
    network_id: str
    port_id: str
    address: str


@dataclass(frozen=True)
class Membership:
    """A port is in a security group."""

    id: str
    group_id: str
    port_id: str


@dataclass(frozen=True, kw_only=True)
class Router(Standard):
    name: str = ""
    admin_state_up: bool = True
    status: str = "ACTIVE"
    gateway_port_id: str | None = None
    gateway_network_id: str | None = None
    enable_snat: bool = True
    gateway_qos_policy_id: str | None = None
    routes: tuple[dict[str, str], ...] = ()
    ha: bool = False
    distributed: bool = False
    flavor_id: str | None = None
    enable_ndp_proxy: bool = False

    def has_interface(self, port: Port) -> bool:
        """Not every port that names the router is one: either it was attached as such, or both have one owner."""
        named = port.device_owner == ROUTER_INTERFACE and port.device_id == self.id
        return named and (bool(port.host_id) or port.project_id == self.project_id)

    availability_zone_hints: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FloatingIp(Standard):
    floating_network_id: str
    floating_ip_address: str
    floating_port_id: str
    """The port that holds the address in the external network."""
    status: str = "DOWN"
    port_id: str | None = None
    fixed_ip_address: str | None = None
    router_id: str | None = None
    qos_policy_id: str | None = None
    dns_name: str = ""
    dns_domain: str = ""


@dataclass(frozen=True)
class PortForwarding:
    id: str
    floating_ip_id: str
    protocol: str
    internal_port_id: str
    internal_ip_address: str
    internal_ports: tuple[int, int]
    external_ports: tuple[int, int]
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class SecurityGroup(Standard):
    name: str = ""
    stateful: bool = True


@dataclass(frozen=True, kw_only=True)
class SecurityGroupRule(Standard):
    security_group_id: str
    direction: str
    ethertype: str = "IPv4"
    protocol: str | None = None
    port_range_min: int | None = None
    port_range_max: int | None = None
    remote_ip_prefix: str | None = None
    remote_group_id: str | None = None
    remote_address_group_id: str | None = None
    substance: str
    """All that it says, in one text: the same for two rules that differ in their words only."""


@dataclass(frozen=True, kw_only=True)
class AddressGroup(Standard):
    name: str = ""
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AddressScope(Standard):
    ip_version: int
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class SubnetPool(Standard):
    name: str
    prefixes: tuple[str, ...]
    ip_version: int
    min_prefixlen: int
    max_prefixlen: int
    default_prefixlen: int
    default_quota: int | None = None
    is_default: bool = False
    address_scope_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Trunk(Standard):
    port_id: str
    name: str = ""
    admin_state_up: bool = True
    status: str = "DOWN"


@dataclass(frozen=True)
class SubPort:
    """A port that travels within a trunk. Its id is the port's."""

    id: str
    trunk_id: str
    segmentation_type: str
    segmentation_id: int


@dataclass(frozen=True, kw_only=True)
class QosPolicy(Standard):
    name: str
    is_default: bool = False


@dataclass(frozen=True)
class QosRule:
    id: str
    policy_id: str
    type: str
    values: Words


@dataclass(frozen=True)
class RbacPolicy:
    """Lets another project, or everybody, see or use an object."""

    id: str
    project_id: str
    object_type: str
    object_id: str
    action: str
    target_tenant: str


@dataclass(frozen=True, kw_only=True)
class MeteringLabel(Standard):
    name: str = ""
    shared: bool = False


@dataclass(frozen=True)
class MeteringRule:
    id: str
    project_id: str
    metering_label_id: str
    direction: str = "ingress"
    excluded: bool = False
    remote_ip_prefix: str | None = None
    source_ip_prefix: str | None = None
    destination_ip_prefix: str | None = None


@dataclass(frozen=True)
class Quota:
    """What a project may have where it differs from the defaults. Its id is the project's."""

    id: str
    limits: Mapping[str, int]


@dataclass(frozen=True)
class Furnished:
    """That a new cloud has been given what it begins with."""

    id: str
