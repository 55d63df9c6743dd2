"""Where the documents of the network service are kept, and by what they are found."""

from __future__ import annotations

from uuid import uuid4

from calor.localcloud.network.documents import (
    AddressGroup,
    AddressScope,
    Allocation,
    FloatingIp,
    Furnished,
    Membership,
    MeteringLabel,
    MeteringRule,
    Network,
    Port,
    PortForwarding,
    QosPolicy,
    QosRule,
    Quota,
    RbacPolicy,
    Router,
    SecurityGroup,
    SecurityGroupRule,
    Segment,
    Subnet,
    SubnetPool,
    SubPort,
    Trunk,
)
from calor.localcloud.store import Collection, Store, T

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
        self.furnished = kept("furnished", Furnished)


def new_id() -> str:
    return str(uuid4())


def by_id(collection: Collection[T], ids: set[str]) -> dict[str, T]:
    """Many documents at once."""
    return {each.id: each for each in collection.find_in("id", sorted(ids))}
