"""What the service can do beyond the core of the API, by the aliases that clients look for."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network.listing import filters_of, list_reply
from calor.localcloud.network.problems import missing
from calor.localcloud.network.resources import NetworkRoute, anyone
from calor.localcloud.network.state import Networking
from calor.localcloud.web import Call, Reply

_NAMES = {
    "address-group": "Address group",
    "address-scope": "Address scope",
    "allowed-address-pairs": "Allowed Address Pairs",
    "availability_zone": "Availability Zone",
    "binding": "Port Binding",
    "default-subnetpools": "Default Subnetpools",
    "dhcp_agent_scheduler": "DHCP Agent Scheduler",
    "dns-integration": "DNS Integration",
    "dvr": "Distributed Virtual Router",
    "expose-port-forwarding-in-fip": "Expose Port Forwarding in FIP",
    "ext-gw-mode": "Neutron L3 Configurable external gateway mode",
    "external-net": "Neutron external network",
    "extra_dhcp_opt": "Neutron Extra DHCP options",
    "extraroute": "Neutron Extra Route",
    "extraroute-atomic": "Atomically add/remove extra routes",
    "filter-validation": "Filter parameters validation",
    "fip-port-details": "Floating IP Port Details Extension",
    "floating-ip-port-forwarding": "Floating IP Port Forwarding",
    "floating-ip-port-forwarding-description": "Floating IP Port Forwarding support an optional description field",
    "floating-ip-port-forwarding-port-ranges": "Floating IP Port Forwarding support for port ranges",
    "floatingip-pools": "Floating IP Pools",
    "ip-substring-filtering": "IP address substring filtering",
    "l2_adjacency": "L2 Adjacency",
    "l3-ha": "HA Router extension",
    "metering": "Neutron Metering",
    "metering_source_and_destination_fields": "Metering source and destination filters",
    "multi-provider": "Multi Provider Network",
    "net-mtu": "Network MTU",
    "net-mtu-writable": "Network MTU (writable)",
    "network-ip-availability": "Network IP Availability",
    "network_availability_zone": "Network Availability Zone",
    "pagination": "Pagination support",
    "port-numa-affinity-policy": "Port NUMA affinity policy",
    "port-security": "Port Security",
    "port-security-groups-filtering": "Port filtering on security groups",
    "project-id": "project_id field enabled",
    "provider": "Provider Network",
    "qos": "Quality of Service",
    "qos-bw-limit-direction": "Direction for QoS bandwidth limit rule",
    "qos-bw-minimum-ingress": "Ingress direction for QoS minimum bandwidth rule",
    "qos-default": "QoS default policy",
    "qos-fip": "Floating IP QoS",
    "qos-gateway-ip": "Gateway IP QoS",
    "qos-pps": "QoS packet rate limit rule",
    "qos-pps-minimum": "QoS minimum packet rate rule",
    "qos-rule-type-details": "Details of QoS rule types",
    "qos-rules-alias": "Alias for QoS rules",
    "quota_details": "Quota details management support",
    "quotas": "Quota management support",
    "rbac-address-group": "RBAC for address groups",
    "rbac-address-scope": "RBAC for address scopes",
    "rbac-policies": "RBAC Policies",
    "rbac-security-groups": "RBAC for security groups",
    "rbac-subnetpool": "RBAC for subnet pools",
    "revision-if-match": "If-Match constraints based on revision_number",
    "router": "Neutron L3 Router",
    "router_availability_zone": "Router Availability Zone",
    "security-group": "security-group",
    "security-groups-normalized-cidr": "Normalized CIDR field for security group rules",
    "security-groups-remote-address-group": "Remote address group id field for security group rules",
    "security-groups-rules-belongs-to-default-sg": "Security group rules of the default group",
    "security-groups-shared-filtering": "Security group filtering on the shared field",
    "segment": "Segment",
    "service-type": "Neutron Service Type Management",
    "shared-filtering": "Shared filtering",
    "sorting": "Sorting support",
    "standard-attr-description": "standard-attr-description",
    "standard-attr-revisions": "Resource revision numbers",
    "standard-attr-segment": "Standard attributes of segments",
    "standard-attr-tag": "Tag support for resources with standard attribute",
    "standard-attr-timestamp": "Resource timestamps",
    "stateful-security-group": "Stateful security group",
    "subnet-dns-publish-fixed-ip": "Subnet DNS publish fixed IP",
    "subnet-service-types": "Subnet service types",
    "subnet_allocation": "Subnet Allocation",
    "subnetpool-prefix-ops": "Subnet Pool Prefix Operations",
    "tag-creation": "Tag creation extension",
    "trunk": "Trunk Extension",
    "trunk-details": "Trunk port details",
    "uplink-status-propagation": "Port Uplink Status Propagation",
    "vlan-transparent": "Vlantransparent",
}


def _show(alias: str) -> dict[str, Any]:
    return {
        "alias": alias,
        "name": _NAMES[alias],
        "description": _NAMES[alias],
        "updated": "2024-01-01T00:00:00-00:00",
        "links": [],
    }


def list_extensions(networking: Networking, call: Call) -> Reply:
    shown = [_show(alias) for alias in _NAMES]
    return list_reply(call, "extensions", shown, filters_of(call, ("alias", "name")))


def get_extension(networking: Networking, call: Call) -> Reply:
    if call.path["alias"] not in _NAMES:
        raise missing("Extension", call.path["alias"])
    return Reply(body={"extension": _show(call.path["alias"])})


ROUTES = (
    NetworkRoute("GET", "/v2.0/extensions", list_extensions, anyone),
    NetworkRoute("GET", "/v2.0/extensions/{alias}", get_extension, anyone),
)
