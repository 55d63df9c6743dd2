"""The types of the network service's extensions at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import Conflict, NotFound
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, properties_of, resource, run
from calor.types import catalogue
from calor.types.neutron.firewalls.firewall import Firewall
from calor.types.neutron.firewalls.firewall_rule import FirewallRule
from calor.types.neutron.floating_ips.floating_ip_port_forward import FloatingIPPortForward
from calor.types.neutron.gateways.network_gateway import NetworkGateway
from calor.types.neutron.networks.segment import Segment
from calor.types.neutron.networks.subnet_pool import SubnetPool
from calor.types.neutron.ports.trunk import Trunk
from calor.types.neutron.qos.qos_bandwidth_limit_rule import QoSBandwidthLimitRule
from calor.types.neutron.qos.qos_policy import QoSPolicy
from calor.types.neutron.quota import Quota
from calor.types.neutron.security.rbac_policy import RBACPolicy
from calor.types.neutron.taas.tap_flow import TapFlow
from calor.types.neutron.vpn.ike_policy import IKEPolicy
from calor.types.neutron.vpn.vpn_service import VPNService
from tests.unit.types.neutron_work import IDS, attribute, deleted, found, intended, made, updated

NAME = "web-thing-000000000000"

Given = dict[str, Any]

REQUESTS: list[tuple[str, Given, str, Given]] = [
    (
        "AddressScope",
        {"tenant_id": "other"},
        "/address-scopes address_scope",
        {"name": NAME, "shared": False, "tenant_id": "p-other", "ip_version": 4},
    ),
    (
        "SubnetPool",
        {"prefixes": ["10.0.0.0/8"], "address_scope": "scope", "min_prefixlen": 20},
        "/subnetpools subnetpool",
        {
            "name": NAME,
            "prefixes": ["10.0.0.0/8"],
            "address_scope_id": "as-1",
            "min_prefixlen": 20,
            "is_default": False,
            "shared": False,
        },
    ),
    (
        "Trunk",
        {"port": "eth0", "sub_ports": [{"port": "eth1", "segmentation_type": "vlan", "segmentation_id": 7}]},
        "/trunks trunk",
        {
            "name": NAME,
            "port_id": "p-0",
            "sub_ports": [{"port_id": "p-1", "segmentation_type": "vlan", "segmentation_id": 7}],
        },
    ),
    ("QoSPolicy", {"shared": True}, "/qos/policies policy", {"name": NAME, "shared": True}),
    (
        "QoSBandwidthLimitRule",
        {"policy": "gold", "max_kbps": 1000},
        "/qos/policies/q-gold/bandwidth_limit_rules bandwidth_limit_rule",
        {"max_kbps": 1000, "max_burst_kbps": 0, "direction": "egress"},
    ),
    (
        "QoSDscpMarkingRule",
        {"policy": "gold", "dscp_mark": 46},
        "/qos/policies/q-gold/dscp_marking_rules dscp_marking_rule",
        {"dscp_mark": 46},
    ),
    (
        "QoSMinimumBandwidthRule",
        {"policy": "gold", "min_kbps": 10},
        "/qos/policies/q-gold/minimum_bandwidth_rules minimum_bandwidth_rule",
        {"min_kbps": 10, "direction": "egress"},
    ),
    (
        "QoSMinimumPacketRateRule",
        {"policy": "gold", "min_kpps": 10, "direction": "any"},
        "/qos/policies/q-gold/minimum_packet_rate_rules minimum_packet_rate_rule",
        {"min_kpps": 10, "direction": "any"},
    ),
    (
        "RBACPolicy",
        {
            "object_type": "network",
            "object_id": "private",
            "target_tenant": "p2",
            "action": "access_as_shared",
        },
        "/rbac-policies rbac_policy",
        {
            "object_type": "network",
            "object_id": "n-private",
            "target_tenant": "p2",
            "action": "access_as_shared",
        },
    ),
    (
        "Segment",
        {"network": "private", "network_type": "vlan", "physical_network": "rack1", "segmentation_id": 9},
        "/segments segment",
        {
            "network_id": "n-private",
            "network_type": "vlan",
            "physical_network": "rack1",
            "segmentation_id": 9,
        },
    ),
    (
        "FloatingIPPortForward",
        {
            "floating_ip": "203.0.113.9",
            "internal_port": "eth0",
            "internal_ip_address": "10.0.0.4",
            "internal_port_number": 80,
            "external_port": 8080,
            "protocol": "tcp",
        },
        "/floatingips/f-9/port_forwardings port_forwarding",
        {
            "internal_port_id": "p-0",
            "internal_ip_address": "10.0.0.4",
            "internal_port": 80,
            "external_port": 8080,
            "protocol": "tcp",
        },
    ),
    (
        "MeteringLabel",
        {"description": "all"},
        "/metering/metering-labels metering_label",
        {"name": NAME, "description": "all", "shared": False},
    ),
    (
        "MeteringRule",
        {"metering_label_id": "m1", "remote_ip_prefix": "10.0.0.0/8", "excluded": True},
        "/metering/metering-label-rules metering_label_rule",
        {
            "metering_label_id": "m1",
            "remote_ip_prefix": "10.0.0.0/8",
            "direction": "ingress",
            "excluded": True,
        },
    ),
    (
        "VPNService",
        {"subnet": "left", "router": "edge"},
        "/vpn/vpnservices vpnservice",
        {"name": NAME, "admin_state_up": True, "subnet_id": "s-left", "router_id": "r-edge"},
    ),
    (
        "IKEPolicy",
        {"lifetime": {"units": "seconds", "value": 3600}},
        "/vpn/ikepolicies ikepolicy",
        {
            "name": NAME,
            "auth_algorithm": "sha1",
            "encryption_algorithm": "aes-128",
            "phase1_negotiation_mode": "main",
            "lifetime": {"units": "seconds", "value": 3600},
            "pfs": "group5",
            "ike_version": "v1",
        },
    ),
    (
        "IPsecPolicy",
        {},
        "/vpn/ipsecpolicies ipsecpolicy",
        {
            "name": NAME,
            "transform_protocol": "esp",
            "encapsulation_mode": "tunnel",
            "auth_algorithm": "sha1",
            "encryption_algorithm": "aes-128",
            "pfs": "group5",
        },
    ),
    (
        "IPsecSiteConnection",
        {
            "peer_address": "198.51.100.1",
            "peer_id": "198.51.100.1",
            "peer_cidrs": ["10.2.0.0/24"],
            "dpd": {"actions": "hold", "interval": 30, "timeout": 120},
            "psk": "s3cret",
            "ikepolicy_id": "i",
            "ipsecpolicy_id": "p",
            "vpnservice_id": "v",
        },
        "/vpn/ipsec-site-connections ipsec_site_connection",
        {
            "name": NAME,
            "peer_address": "198.51.100.1",
            "peer_id": "198.51.100.1",
            "peer_cidrs": ["10.2.0.0/24"],
            "mtu": 1500,
            "dpd": {"action": "hold", "interval": 30, "timeout": 120},
            "psk": "s3cret",
            "initiator": "bi-directional",
            "admin_state_up": True,
            "ikepolicy_id": "i",
            "ipsecpolicy_id": "p",
            "vpnservice_id": "v",
        },
    ),
    (
        "Firewall",
        {"firewall_policy_id": "fp", "value_specs": {"router_ids": []}},
        "/fw/firewalls firewall",
        {"name": NAME, "admin_state_up": True, "firewall_policy_id": "fp", "router_ids": []},
    ),
    (
        "FirewallPolicy",
        {"firewall_rules": ["r1"]},
        "/fw/firewall_policies firewall_policy",
        {"name": NAME, "shared": False, "audited": False, "firewall_rules": ["r1"]},
    ),
    (
        "FirewallRule",
        {"destination_port": "80"},
        "/fw/firewall_rules firewall_rule",
        {
            "name": NAME,
            "shared": False,
            "ip_version": "4",
            "destination_port": "80",
            "action": "deny",
            "enabled": True,
        },
    ),
    (
        "FlowClassifier",
        {"logical_source_port": "eth0", "protocol": "tcp"},
        "/sfc/flow_classifiers flow_classifier",
        {"name": NAME, "ethertype": "IPv4", "logical_source_port": "p-0", "protocol": "tcp"},
    ),
    (
        "PortPair",
        {"ingress": "eth0", "egress": "eth1"},
        "/sfc/port_pairs port_pair",
        {
            "name": NAME,
            "ingress": "p-0",
            "egress": "p-1",
            "service_function_parameters": {"correlation": None},
        },
    ),
    (
        "PortPairGroup",
        {"port_pairs": ["pair"]},
        "/sfc/port_pair_groups port_pair_group",
        {"name": NAME, "port_pairs": ["pp-1"]},
    ),
    (
        "PortChain",
        {"port_pair_groups": ["group"], "flow_classifiers": ["web"]},
        "/sfc/port_chains port_chain",
        {
            "name": NAME,
            "port_pair_groups": ["ppg-1"],
            "flow_classifiers": ["fc-1"],
            "chain_parameters": {"correlation": "mpls"},
        },
    ),
    (
        "L2Gateway",
        {
            "name": "l2",
            "devices": [{"device_name": "d", "interfaces": [{"name": "eth0"}]}],
        },
        "/l2-gateways l2_gateway",
        {"name": "l2", "devices": [{"device_name": "d", "interfaces": [{"name": "eth0"}]}]},
    ),
    (
        "L2GatewayConnection",
        {"l2_gateway_id": "l2", "network_id": "n-private", "segmentation_id": "7"},
        "/l2-gateway-connections l2_gateway_connection",
        {"l2_gateway_id": "l2", "network_id": "n-private", "segmentation_id": "7"},
    ),
    (
        "NetworkGateway",
        {"devices": [{"id": "d", "interface_name": "eth0"}], "connections": []},
        "/network-gateways network_gateway",
        {"name": NAME, "devices": [{"id": "d", "interface_name": "eth0"}]},
    ),
    (
        "TaaS::TapService",
        {"port": "eth0"},
        "/taas/tap_services tap_service",
        {"name": "", "description": "", "port_id": "p-0"},
    ),
    (
        "TaaS::TapFlow",
        {"port": "eth0", "tap_service": "tap"},
        "/taas/tap_flows tap_flow",
        {
            "name": "",
            "description": "",
            "source_port": "p-0",
            "tap_service_id": "ts-1",
            "direction": "BOTH",
        },
    ),
]


def declared(name: str) -> type[ResourceType]:
    kind = catalogue.declaration(f"OS::Neutron::{name}")
    assert kind is not None
    return kind


@pytest.mark.parametrize(("name", "given", "place", "body"), REQUESTS, ids=[case[0] for case in REQUESTS])
def test_an_object_is_made_found_again_and_deleted(name: str, given: Given, place: str, body: Given) -> None:
    kind, cloud = declared(name), FakeCloud(statuses={"firewalls": "ACTIVE"})
    path, wrapper = place.split()
    context = made(kind, cloud, **given)
    assert cloud.body(f"POST {path}") == {wrapper: body}
    [object_path] = cloud.objects
    assert object_path == f"{path}/{context.physical_id}"
    assert attribute(context, "show")["id"] == context.physical_id

    again = intended(kind, cloud, **given)
    assert found(again)
    assert again.physical_id == context.physical_id
    again.claimed_ids = frozenset({str(context.physical_id)})
    again.physical_id = None
    assert not found(again)

    work: Any = kind
    run(work.check(context))
    deleted(context)
    assert cloud.objects == {}
    deleted(context)


@pytest.mark.parametrize(
    ("name", "given"), [case[:2] for case in REQUESTS], ids=[case[0] for case in REQUESTS]
)
def test_an_object_is_made_once_although_the_engine_is_killed(name: str, given: Given) -> None:
    cloud = FakeCloud(ids=dict(IDS), statuses={"firewalls": "ACTIVE"})
    one = resource(declared(name), FakeContext(services=cloud), **given)
    one.crash_during_create()
    one.create()
    assert len(cloud.objects) == 1

    one.check()
    one.delete()
    assert cloud.objects == {}


RBAC: Given = {
    "object_type": "network",
    "object_id": "private",
    "target_tenant": "p2",
    "action": "access_as_shared",
}
FORWARD: Given = {
    "floating_ip": "203.0.113.9",
    "internal_port": "eth0",
    "internal_ip_address": "10.0.0.5",
    "internal_port_number": 80,
    "external_port": 80,
    "protocol": "tcp",
}

CHANGES: list[tuple[str, Given, Given, Given]] = [
    ("AddressScope", {}, {"name": "new", "shared": True}, {"name": "new", "shared": True}),
    (
        "SubnetPool",
        {"address_scope": "scope", "prefixes": ["10.0.0.0/8"]},
        {"address_scope": None},
        {"address_scope_id": None},
    ),
    ("QoSPolicy", {"description": "old"}, {"description": None}, {"description": ""}),
    ("QoSBandwidthLimitRule", {"policy": "gold", "max_kbps": 1}, {"max_kbps": 2}, {"max_kbps": 2}),
    ("RBACPolicy", RBAC, {"target_tenant": "p3"}, {"target_tenant": "p3"}),
    ("Segment", {"network": "private", "network_type": "vxlan"}, {"name": "rack"}, {"name": "rack"}),
    (
        "FloatingIPPortForward",
        FORWARD,
        {"internal_port": "eth1", "internal_port_number": 81},
        {"internal_port_id": "p-1", "internal_port": 81},
    ),
    (
        "VPNService",
        {"subnet": "left", "router": "edge"},
        {"admin_state_up": False},
        {"admin_state_up": False},
    ),
    ("IKEPolicy", {}, {"pfs": "group14"}, {"pfs": "group14"}),
    ("FirewallRule", {"protocol": "tcp"}, {"protocol": "any"}, {"protocol": None}),
    ("FirewallRule", {"source_port": "80"}, {"source_port": None}, {"source_port": None}),
    ("FirewallPolicy", {"firewall_rules": ["r"]}, {"firewall_rules": None}, {"firewall_rules": []}),
    (
        "PortChain",
        {"port_pair_groups": ["group"]},
        {"flow_classifiers": ["web"]},
        {"flow_classifiers": ["fc-1"]},
    ),
    ("TaaS::TapService", {"port": "eth0"}, {"name": "tap"}, {"name": "tap"}),
    ("L2Gateway", {"name": "l2", "devices": []}, {"name": "new"}, {"name": "new"}),
]


@pytest.mark.parametrize(
    ("name", "given", "change", "body"), CHANGES, ids=[f"{case[0]}-{'-'.join(case[2])}" for case in CHANGES]
)
def test_an_object_changes_in_place(name: str, given: Given, change: Given, body: Given) -> None:
    context = made(declared(name), **given)
    [path] = context.services.objects
    updated(context, **change)

    [sent] = context.services.body(f"PUT {path}").values()
    assert sent == body


def test_a_firewall_on_no_router_is_complete() -> None:
    cloud = FakeCloud(
        statuses={"firewalls": "PENDING_CREATE"},
        next_status={"PENDING_CREATE": "INACTIVE", "PENDING_DELETE": "gone"},
        deleting_status={"firewalls": "PENDING_DELETE"},
    )
    context = made(Firewall, cloud, firewall_policy_id="fp")
    assert attribute(context, "status") == "INACTIVE"

    deleted(context)
    assert cloud.objects == {}


def test_a_rule_for_any_protocol_shows_nothing_of_protocols() -> None:
    context = made(FirewallRule, protocol="any")

    assert "protocol" not in context.services.body("POST /fw/firewall_rules")["firewall_rule"]


def test_a_service_without_connections_may_stay_pending() -> None:
    context = made(
        VPNService, FakeCloud(statuses={"vpnservices": "PENDING_CREATE"}), subnet="left", router="edge"
    )
    assert run(VPNService.check(context)) is None
    context.services.objects["/vpn/vpnservices/vpnservices-1"]["status"] = "ERROR"

    with pytest.raises(ResourceFailed, match="ERROR"):
        run(VPNService.check(context))


def test_a_policy_in_use_is_deleted_when_it_is_free() -> None:
    context = made(IKEPolicy)
    context.services.responses["DELETE /vpn/ikepolicies/ikepolicies-1"] = [Conflict("in use", status=409)]
    deleted(context)

    assert context.services.objects == {}


# Parts of others.


def test_a_rule_is_found_in_its_policy_when_the_policy_has_another_name() -> None:
    context = made(QoSBandwidthLimitRule, policy="gold", max_kbps=1)
    context.services.ids["neutron.qos_policy", "gold"] = "q-other"
    deleted(context)

    assert context.services.lines()[-1].startswith("DELETE /qos/policies/q-gold/bandwidth_limit_rules/")


def test_a_rule_whose_policy_is_gone_is_deleted() -> None:
    context = made(QoSBandwidthLimitRule, policy="gold", max_kbps=1)
    context.services.objects.clear()
    deleted(context)

    assert context.services.lines()[-1].startswith("DELETE /qos/policies/q-gold/")


def test_a_check_shows_whether_a_forwarding_is_there() -> None:
    context = made(FloatingIPPortForward, **FORWARD)
    assert run(FloatingIPPortForward.check(context)) is None
    context.services.objects.clear()

    with pytest.raises(ResourceFailed, match="gone"):
        run(FloatingIPPortForward.check(context))


def test_a_policy_shows_rules_that_were_created_after_it() -> None:
    context = made(QoSPolicy)
    context.services.objects["/qos/policies/policies-1"]["rules"] = [{"id": "r"}]
    run(QoSPolicy.refresh(context))

    assert attribute(context, "rules") == [{"id": "r"}]


# Trunks.


def sub_port(port: str, number: int) -> dict[str, Any]:
    return {"port": port, "segmentation_type": "vlan", "segmentation_id": number}


def test_ports_of_a_trunk_come_and_go() -> None:
    context = made(Trunk, port="eth0", sub_ports=[sub_port("eth0", 1), sub_port("eth1", 2)])
    updated(context, sub_ports=[sub_port("eth0", 1), sub_port("eth1", 3)])

    assert context.services.lines(without=("GET", "POST")) == [
        "PUT /trunks/trunks-1/remove_subports",
        "PUT /trunks/trunks-1/add_subports",
    ]
    assert context.services.body("PUT /trunks/trunks-1/remove_subports") == {
        "sub_ports": [{"port_id": "p-1"}]
    }
    assert context.services.body("PUT /trunks/trunks-1/add_subports") == {
        "sub_ports": [{"port_id": "p-1", "segmentation_type": "vlan", "segmentation_id": 3}]
    }


def test_a_trunk_goes_down_after_its_ports_have_changed() -> None:
    context = made(Trunk, port="eth0", sub_ports=[], admin_state_up=True)
    updated(context, sub_ports=[sub_port("eth1", 2)], admin_state_up=False, name="new")

    puts = [request for request in context.services.requests if request.method == "PUT"]
    assert [(request.path, request.body) for request in puts] == [
        ("/trunks/trunks-1", {"trunk": {"name": "new"}}),
        (
            "/trunks/trunks-1/add_subports",
            {"sub_ports": [{"port_id": "p-1", "segmentation_type": "vlan", "segmentation_id": 2}]},
        ),
        ("/trunks/trunks-1", {"trunk": {"admin_state_up": False}}),
    ]


# Network gateways.


def joined(network: str) -> dict[str, Any]:
    return {"network": network, "segmentation_type": "flat"}


def test_networks_are_joined_to_a_gateway_and_parted_from_it() -> None:
    devices = [{"id": "d", "interface_name": "eth0"}]
    context = made(NetworkGateway, devices=devices, connections=[joined("private")])
    cloud, path = context.services, "/network-gateways/network-gateways-1"
    body = {"network_id": "n-private", "segmentation_type": "flat"}
    assert cloud.body(f"PUT {path}/connect_network") == body

    cloud.responses[f"PUT {path}/disconnect_network"] = [NotFound("not joined", status=404)]
    updated(context, connections=[joined("public")])
    assert cloud.body(f"PUT {path}/disconnect_network") == body
    assert cloud.body(f"PUT {path}/connect_network")["network_id"] == "n-public"
    deleted(context)
    assert cloud.lines()[-2:] == [f"PUT {path}/disconnect_network", f"DELETE {path}"]


def test_a_gateway_of_other_devices_is_another() -> None:
    props = properties_of(NetworkGateway, devices=[{"id": "d", "interface_name": "eth0"}])
    assert NetworkGateway.needs_replacement(props, props, frozenset({"devices"}))
    assert not NetworkGateway.needs_replacement(props, props, frozenset({"name"}))


# Quotas.


def test_a_quota_limits_a_project_until_it_is_deleted() -> None:
    context = made(Quota, project="other", network=5, port=-1)
    assert context.physical_id == "p-other"
    assert context.services.body("PUT /quotas/p-other") == {"quota": {"network": 5, "port": -1}}

    updated(context, network=7)
    assert context.services.lines() == ["PUT /quotas/p-other"] * 2
    context.services.responses["DELETE /quotas/p-other"] = {}
    updated(context, port=None)
    assert context.services.lines()[2:] == ["DELETE /quotas/p-other", "PUT /quotas/p-other"]
    assert context.services.body("PUT /quotas/p-other") == {"quota": {"network": 7}}
    deleted(context)
    assert context.services.lines()[-1] == "DELETE /quotas/p-other"


@pytest.mark.parametrize(
    ("kind", "given", "named"),
    [
        (Segment, {"network": "private", "network_type": "vxlan"}, False),
        (TapFlow, {"port": "eth0", "tap_service": "tap"}, False),
        (SubnetPool, {"prefixes": ["10.0.0.0/8"]}, True),
        (RBACPolicy, RBAC, False),
    ],
)
def test_only_what_wants_a_name_gets_one(kind: type[ResourceType], given: Given, named: bool) -> None:
    context = made(kind, **given)

    [body] = [one for request in context.services.requests if request.body for one in request.body.values()]
    assert bool(body.get("name")) is named
