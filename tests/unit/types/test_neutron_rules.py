"""What network resources refuse before anything is created."""

from typing import Any

import pytest

from calor.language.schema import Problem
from calor.language.values import Secret, Unknown
from calor.resources.contract import ResourceType
from calor.types.neutron.firewalls.firewall import Firewall
from calor.types.neutron.floating_ips.floating_ip import FloatingIP
from calor.types.neutron.gateways.network_gateway import NetworkGateway
from calor.types.neutron.networks.net import Net
from calor.types.neutron.networks.provider_net import ProviderNet
from calor.types.neutron.networks.segment import Segment
from calor.types.neutron.networks.subnet import Subnet
from calor.types.neutron.networks.subnet_pool import SubnetPool
from calor.types.neutron.ports.port import Port
from calor.types.neutron.quota import Quota
from calor.types.neutron.routers.router import Router
from calor.types.neutron.routers.router_interface import RouterInterface
from calor.types.neutron.security.rbac_policy import RBACPolicy
from calor.types.neutron.security.security_group import SecurityGroup
from calor.types.neutron.security.security_group_rule import SecurityGroupRule

ATTRIBUTE = Unknown()
REFERENCE = Unknown("some_resource")

FAILED = "StackValidationFailed"
CONFLICT = "ResourcePropertyConflict"
UNSPECIFIED = "PropertyUnspecifiedError"


def problems(kind: type[ResourceType], **given: Any) -> list[Problem]:
    values = {name: prop.default for name, prop in kind.properties.items()} | given
    return [problem for rule in kind.rules for problem in rule.problems(values)]


def refusals(kind: type[ResourceType], **given: Any) -> list[str]:
    return [problem.kind for problem in problems(kind, **given)]


@pytest.mark.parametrize("name", ["shared", "tenant_id", "name"])
def test_value_specs_of_a_network_set_nothing_that_has_a_property(name: str) -> None:
    (problem,) = problems(Net, value_specs={"mtu": 1400, name: ATTRIBUTE})

    assert problem.kind == FAILED
    assert name in problem.message


@pytest.mark.parametrize("value_specs", [{}, {"mtu": 1400}, ATTRIBUTE, Secret({"name": "n"})])
def test_value_specs_of_a_network(value_specs: Any) -> None:
    assert refusals(Net, value_specs=value_specs) == []


def test_value_specs_of_a_firewall_do_not_share_it() -> None:
    assert refusals(Firewall, value_specs={"shared": True}) == [FAILED]


def test_value_specs_of_a_port_may_set_anything() -> None:
    assert refusals(Port, network="n", value_specs={"tenant_id": "t"}) == []


def test_port_with_addresses_and_without() -> None:
    assert refusals(Port, fixed_ips=[{"subnet": "s"}], no_fixed_ips=True) == [CONFLICT]


@pytest.mark.parametrize("fixed_ips", [None, [], ATTRIBUTE])
def test_port_without_addresses(fixed_ips: Any) -> None:
    assert refusals(Port, fixed_ips=fixed_ips, no_fixed_ips=True) == []


def test_router_agent_in_old_and_new_form() -> None:
    (problem,) = problems(Router, l3_agent_id="a", l3_agent_ids=["b"], ha=True)

    assert (problem.kind, problem.path) == (FAILED, ("l3_agent_ids", 0))


@pytest.mark.parametrize("agent", ["", ATTRIBUTE, None])
def test_router_agent_that_is_none(agent: Any) -> None:
    assert refusals(Router, l3_agent_id=agent, l3_agent_ids=["b"]) == []


@pytest.mark.parametrize("agents", [{"l3_agent_id": "a"}, {"l3_agent_ids": ["a"]}])
def test_distributed_router_with_an_agent(agents: dict[str, Any]) -> None:
    assert refusals(Router, distributed=True, **agents) == [CONFLICT]


def test_distributed_router_without_agents() -> None:
    assert refusals(Router, distributed=True, l3_agent_ids=[], ha=False) == []


def test_router_distributed_and_highly_available() -> None:
    assert refusals(Router, distributed=True, ha=True) == [CONFLICT]


@pytest.mark.parametrize("ha", [None, False])
def test_several_agents_of_a_plain_router(ha: Any) -> None:
    assert refusals(Router, l3_agent_ids=["a", REFERENCE], ha=ha) == [FAILED]


@pytest.mark.parametrize("ha", [True, ATTRIBUTE])
def test_several_agents_of_a_highly_available_router(ha: Any) -> None:
    assert refusals(Router, l3_agent_ids=["a", "b"], ha=ha) == []


def test_router_interface_needs_a_subnet_or_a_port() -> None:
    assert refusals(RouterInterface, router="r") == [UNSPECIFIED]


def test_router_interface_takes_only_one_of_both() -> None:
    assert refusals(RouterInterface, router="r", subnet="s", port=ATTRIBUTE) == [CONFLICT]


@pytest.mark.parametrize("subnet", ["s", "", ATTRIBUTE, REFERENCE])
def test_router_interface_to_a_subnet(subnet: Any) -> None:
    assert refusals(RouterInterface, router="r", subnet=subnet) == []


def test_fixed_address_needs_its_port() -> None:
    assert refusals(FloatingIP, fixed_ip_address="10.0.0.5") == ["ResourcePropertyDependency"]


@pytest.mark.parametrize("port", ["p", "", ATTRIBUTE])
def test_fixed_address_of_a_port(port: Any) -> None:
    assert refusals(FloatingIP, fixed_ip_address="10.0.0.5", port_id=port) == []


def test_subnet_needs_a_range() -> None:
    assert refusals(Subnet) == [UNSPECIFIED]


@pytest.mark.parametrize(
    "given",
    [
        {"cidr": "10.0.0.0/24"},
        {"cidr": ATTRIBUTE},
        {"subnetpool": "p"},
        {"subnetpool": ATTRIBUTE},
        {"subnetpool": "", "prefixlen": 24},
        {"cidr": ATTRIBUTE, "subnetpool": "p"},
        {"cidr": "10.0.0.0/24", "prefixlen": 0},
    ],
)
def test_subnet_with_a_range(given: dict[str, Any]) -> None:
    assert refusals(Subnet, **given) == []


@pytest.mark.parametrize("pool", ["p", "", REFERENCE])
def test_subnet_range_and_pool(pool: Any) -> None:
    assert refusals(Subnet, cidr="10.0.0.0/24", subnetpool=pool) == [CONFLICT]


def test_prefix_length_is_for_pools() -> None:
    assert refusals(Subnet, cidr="10.0.0.0/24", prefixlen=24) == [CONFLICT]


@pytest.mark.parametrize("name", ["ipv6_ra_mode", "ipv6_address_mode"])
def test_address_modes_are_not_for_ipv4(name: str) -> None:
    assert refusals(Subnet, cidr="10.0.0.0/24", **{name: "slaac"}) == [FAILED]


def test_address_modes_must_agree() -> None:
    given = {"ip_version": 6, "ipv6_ra_mode": "slaac", "ipv6_address_mode": "dhcpv6-stateful"}

    assert refusals(Subnet, cidr="fd00::/64", **given) == [FAILED]


@pytest.mark.parametrize("other", [None, "slaac", "", ATTRIBUTE, REFERENCE])
def test_address_modes_that_may_agree(other: Any) -> None:
    given = {"ip_version": 6, "ipv6_ra_mode": "slaac", "ipv6_address_mode": other}

    assert refusals(Subnet, cidr="fd00::/64", **given) == []


@pytest.mark.parametrize("gateway", ["x", "10.0.0.256", " 10.0.0.1", "10.0.0.1 x"])
def test_gateway_is_an_address(gateway: str) -> None:
    assert refusals(Subnet, cidr="10.0.0.0/24", gateway_ip=gateway) == [FAILED]


@pytest.mark.parametrize(
    "gateway", ["10.0.0.1", "10.1", "fe80::1", "fe80::1%eth0", "", "~", "auto", None, ATTRIBUTE, REFERENCE]
)
def test_gateway(gateway: Any) -> None:
    assert refusals(Subnet, cidr="10.0.0.0/24", gateway_ip=gateway) == []


@pytest.mark.parametrize(
    "bounds",
    [
        {"min_prefixlen": 25, "max_prefixlen": 24},
        {"default_prefixlen": 25, "max_prefixlen": 24},
        {"min_prefixlen": 25, "default_prefixlen": 24},
    ],
)
def test_prefix_bounds_out_of_order(bounds: dict[str, int]) -> None:
    assert refusals(SubnetPool, prefixes=["10.0.0.0/8"], **bounds) == [FAILED]


@pytest.mark.parametrize("most", [24, 25, 0, None, ATTRIBUTE])
def test_prefix_bounds_in_order(most: Any) -> None:
    given = {"min_prefixlen": 24, "default_prefixlen": 24, "max_prefixlen": most}

    assert refusals(SubnetPool, prefixes=["10.0.0.0/8"], **given) == []


def connections(kind: Any, number: Any) -> list[dict[str, Any]]:
    return [{"network": "n", "segmentation_type": kind, "segmentation_id": number}]


@pytest.mark.parametrize(("kind", "number"), [("vlan", None), ("flat", 5)])
def test_gateway_connection_whose_number_does_not_fit(kind: str, number: Any) -> None:
    (problem,) = problems(NetworkGateway, connections=connections(kind, number))

    assert problem.kind == FAILED
    assert "connections[0]" in problem.message


@pytest.mark.parametrize(
    ("kind", "number"), [("vlan", 5), ("vlan", ATTRIBUTE), ("flat", 0), ("flat", None), (ATTRIBUTE, None)]
)
def test_gateway_connection(kind: Any, number: Any) -> None:
    assert refusals(NetworkGateway, connections=connections(kind, number)) == []


@pytest.mark.parametrize("unseen", [ATTRIBUTE, [ATTRIBUTE], {}])
def test_gateway_connections_not_known_yet(unseen: Any) -> None:
    assert refusals(NetworkGateway, connections=unseen) == []


@pytest.mark.parametrize("kind", ["qos_policy", "security_group", "address_scope", "subnetpool"])
def test_only_networks_are_external(kind: str) -> None:
    (problem,) = problems(RBACPolicy, object_type=kind, action="access_as_external")

    assert (problem.kind, problem.path) == (FAILED, ("action",))


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        ("network", "access_as_external"),
        ("subnetpool", "access_as_shared"),
        (ATTRIBUTE, "access_as_external"),
        ("subnetpool", ATTRIBUTE),
    ],
)
def test_access_that_objects_can_have(kind: Any, action: Any) -> None:
    assert refusals(RBACPolicy, object_type=kind, action=action) == []


@pytest.mark.parametrize("name", ["default", Secret("default")])
def test_security_group_named_default(name: Any) -> None:
    assert refusals(SecurityGroup, name=name) == [FAILED]


@pytest.mark.parametrize("name", [None, "Default", ATTRIBUTE])
def test_security_group_name(name: Any) -> None:
    assert refusals(SecurityGroup, name=name) == []


@pytest.mark.parametrize("group", ["g", "", ATTRIBUTE])
def test_rule_about_a_group_and_addresses(group: Any) -> None:
    assert refusals(SecurityGroupRule, remote_group=group, remote_ip_prefix="10.0.0.0/8") == [CONFLICT]


def test_port_range_backwards() -> None:
    assert refusals(SecurityGroupRule, port_range_min=90, port_range_max=80) == [FAILED]


@pytest.mark.parametrize("protocol", ["icmp", "icmpv6", "ipv6-icmp", ATTRIBUTE])
def test_icmp_type_above_its_code(protocol: Any) -> None:
    assert refusals(SecurityGroupRule, port_range_min=8, port_range_max=0, protocol=protocol) == []


@pytest.mark.parametrize("high", [80, 90, None, ATTRIBUTE])
def test_port_range(high: Any) -> None:
    assert refusals(SecurityGroupRule, port_range_min=80, port_range_max=high) == []


@pytest.mark.parametrize(
    "given",
    [
        {"network_type": "flat"},
        {"network_type": "vlan", "physical_network": "p"},
        {"network_type": "vlan", "segmentation_id": 5},
        {"network_type": "vlan", "physical_network": "p", "segmentation_id": 4095},
        {"network_type": "flat", "physical_network": "p", "segmentation_id": 5},
        {"network_type": "local", "segmentation_id": 5},
        {"network_type": "gre", "physical_network": ""},
    ],
)
def test_segment_that_does_not_fit_its_type(given: dict[str, Any]) -> None:
    assert refusals(Segment, network="n", **given) == [FAILED]


@pytest.mark.parametrize(
    "given",
    [
        {"network_type": "flat", "physical_network": ""},
        {"network_type": "vlan", "physical_network": ATTRIBUTE, "segmentation_id": ATTRIBUTE},
        {"network_type": "vlan", "physical_network": "p", "segmentation_id": 4094},
        {"network_type": "local", "physical_network": "p"},
        {"network_type": "gre", "segmentation_id": 5000},
        {"network_type": ATTRIBUTE, "segmentation_id": 5},
    ],
)
def test_segment(given: dict[str, Any]) -> None:
    assert refusals(Segment, network="n", **given) == []


@pytest.mark.parametrize("kind", ["local", "flat"])
def test_provider_network_without_a_number(kind: str) -> None:
    assert refusals(ProviderNet, network_type=kind, segmentation_id="5") == [FAILED]


@pytest.mark.parametrize("kind", ["vxlan", "gre", "geneve", "local"])
def test_provider_network_without_a_physical_one(kind: str) -> None:
    assert refusals(ProviderNet, network_type=kind, physical_network=REFERENCE) == [FAILED]


@pytest.mark.parametrize(
    "given",
    [
        {"network_type": "vlan", "segmentation_id": "5", "physical_network": "p"},
        {"network_type": "flat", "segmentation_id": "", "physical_network": "p"},
        {"network_type": "vxlan", "physical_network": ATTRIBUTE},
        {"network_type": ATTRIBUTE, "physical_network": "p"},
        {"network_type": "vlan"},
    ],
)
def test_provider_network(given: dict[str, Any]) -> None:
    assert refusals(ProviderNet, **given) == []


def test_quota_of_nothing() -> None:
    assert refusals(Quota, project="p") == [UNSPECIFIED]


@pytest.mark.parametrize("number", [-1, 0, ATTRIBUTE])
def test_quota(number: Any) -> None:
    assert refusals(Quota, project="p", port=number) == []
