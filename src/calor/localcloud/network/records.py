"""Records of the network service, and the collections that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from calor.localcloud.store import Collection, Store, T
from calor.localcloud.types import Json

Words = Mapping[str, object]

SHARED = "access_as_shared"
EXTERNAL = "access_as_external"
EVERYBODY = "*"

ROUTER_INTERFACE = "network:router_interface"
ROUTER_GATEWAY = "network:router_gateway"
FLOATING_IP = "network:floatingip"
COMPUTE = "compute:"
HOST = "calor"
"""The default availability zone."""


@dataclass(frozen=True, kw_only=True)
class Standard:
    """The attributes of all objects."""

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
    """A segment; every network has at least one."""

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
    extra_dhcp_opts: tuple[Json, ...] = ()
    dns_name: str = ""
    dns_domain: str = ""
    qos_policy_id: str | None = None
    propagate_uplink_status: bool = True
    numa_affinity_policy: str | None = None
    vnic_type: str = "normal"
    host_id: str = ""
    profile: Words = field(default_factory=dict)
    made_for_server: bool = False
    """Whether the compute service created it, and deletes it with the server."""
    place: int = 0
    """Its position among the ports of its server."""

    @property
    def in_server(self) -> bool:
        """Whether the compute service attached it to its device. Users may write any device into their ports, but only
        services and admins set the host."""
        return self.device_owner.startswith(COMPUTE) and bool(self.host_id)


@dataclass(frozen=True)
class Allocation:
    """An allocated address of a subnet."""

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
    """The port with the address in the external network."""
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
    """A normal form, which is the same for equivalent rules."""


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
    """A subport of a trunk; has the id of the port."""

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
    """Shares an object with a project, or with all projects."""

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
    """Limits of a project that differ from the defaults; has the id of the project."""

    id: str
    limits: Mapping[str, int]


@dataclass(frozen=True)
class Seeded:
    """Marks that the cloud is seeded."""

    id: str


_OWN = ("project_id",)
_NAME = ("name",)
_NETWORK = ("network_id",)
_QOS = ("qos_policy_id",)


class Records:
    def __init__(self, store: Store) -> None:
        self.store = store

        def kept(
            name: str, kind: type[T], *indexes: tuple[str, ...], unique: tuple[tuple[str, ...], ...] = ()
        ) -> Collection[T]:
            return store.collection(f"network_{name}", kind, indexes, unique)

        self.networks = kept("networks", Network, _OWN, _NAME, _QOS)
        self.segments = kept("segments", Segment, _NETWORK, ("network_type", "segmentation_id"))
        self.subnets = kept("subnets", Subnet, _OWN, _NAME, _NETWORK, ("subnetpool_id",), ("segment_id",))
        self.ports = kept(
            "ports", Port, _OWN, _NAME, ("network_id", "device_owner"), ("device_id",), _QOS, ("mac_address",)
        )
        self.allocations = kept("allocations", Allocation, ("subnet_id",), ("address",))
        self.memberships = kept("memberships", Membership, ("group_id",))
        self.routers = kept("routers", Router, _OWN, _NAME, ("gateway_network_id",))
        self.floating_ips = kept(
            "floating_ips",
            FloatingIp,
            _OWN,
            ("port_id",),
            ("router_id",),
            ("floating_ip_address",),
            ("floating_network_id",),
            _QOS,
        )
        self.port_forwardings = kept(
            "port_forwardings", PortForwarding, ("floating_ip_id",), ("internal_port_id",)
        )
        self.groups = kept("groups", SecurityGroup, ("project_id", "name"), _NAME)
        self.rules = kept(
            "rules",
            SecurityGroupRule,
            _OWN,
            ("security_group_id",),
            ("remote_group_id",),
            ("remote_address_group_id",),
            ("substance",),
        )
        self.address_groups = kept("address_groups", AddressGroup, _OWN, _NAME)
        self.address_scopes = kept("address_scopes", AddressScope, _OWN, _NAME)
        self.subnet_pools = kept(
            "subnet_pools", SubnetPool, _OWN, _NAME, ("address_scope_id",), ("is_default", "ip_version")
        )
        self.trunks = kept("trunks", Trunk, _OWN, _NAME, ("port_id",))
        self.sub_ports = kept("sub_ports", SubPort, ("trunk_id",))
        self.qos_policies = kept("qos_policies", QosPolicy, _OWN, _NAME)
        self.qos_rules = kept("qos_rules", QosRule, ("policy_id",))
        self.rbac = kept(
            "rbac",
            RbacPolicy,
            ("object_type", "target_tenant"),
            ("object_id",),
            _OWN,
            unique=(("object_id", "action", "target_tenant"),),
        )
        self.metering_labels = kept("metering_labels", MeteringLabel, _OWN, _NAME)
        self.metering_rules = kept("metering_rules", MeteringRule, _OWN, ("metering_label_id",))
        self.quotas = kept("quotas", Quota)
        # Existing databases have the table under this name.
        self.seeded = kept("furnished", Seeded)


def new_id() -> str:
    return str(uuid4())


def by_id(collection: Collection[T], ids: set[str]) -> dict[str, T]:
    """Many documents at once."""
    return {each.id: each for each in collection.find_in("id", sorted(ids))}
