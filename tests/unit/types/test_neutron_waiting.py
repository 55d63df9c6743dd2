"""What comes before network resources although they do not refer to it."""

from collections.abc import Sequence
from typing import Any

from calor.types import catalogue


class Peer:
    def __init__(self, name: str, type_name: str, properties: dict[str, Any]) -> None:
        self.name = name
        self.type_name = type_name
        self.properties = properties

    def value(self, name: str) -> Any:
        return self.properties.get(name)


class Template:
    """Resources by name. A value of None is one not known yet."""

    def __init__(self) -> None:
        self.peers: dict[str, Peer] = {}

    def add(self, name: str, type_name: str, **properties: Any) -> None:
        self.peers[name] = Peer(name, type_name, properties)

    def of_type(self, type_name: str) -> Sequence[Peer]:
        return [peer for peer in self.peers.values() if peer.type_name == type_name]

    def having(self, type_name: str, name: str, value: Any) -> Sequence[Peer]:
        return [peer for peer in self.of_type(type_name) if peer.value(name) == value]

    def named(self, name: Any) -> Peer | None:
        return self.peers.get(name)

    def waits(self, type_name: str, **properties: Any) -> list[str]:
        declared = catalogue.declaration(type_name)
        assert declared is not None
        return sorted(declared.waits_for(Peer("me", type_name, properties), self))


def subnets() -> Template:
    template = Template()
    template.add("here", "OS::Neutron::Subnet", network="net")
    template.add("there", "OS::Neutron::Subnet", network="other")
    template.add("somewhere", "OS::Neutron::Subnet", network=None)
    return template


def interfaces() -> Template:
    template = Template()
    template.add("to_here", "OS::Neutron::RouterInterface", router="router", subnet="here")
    template.add("to_there", "OS::Neutron::RouterInterface", router="other", subnet="there")
    template.add("by_port", "OS::Neutron::RouterInterface", router="router", port="p")
    template.add("anywhere", "OS::Neutron::Port", network="net")
    template.add("chosen", "OS::Neutron::Port", network="net", fixed_ips=[{"ip_address": "10.0.0.5"}])
    template.add(
        "both", "OS::Neutron::Port", network="net", fixed_ips=[{"subnet": "here"}, {"subnet": "there"}]
    )
    template.add("server", "OS::Nova::Server")
    return template


def gateways() -> Template:
    template = Template()
    template.add("gateway", "OS::Neutron::RouterGateway", router_id="router", network="ext")
    template.add("router", "OS::Neutron::Router", external_gateway_info={"network": "ext"})
    template.add("other_gateway", "OS::Neutron::RouterGateway", router_id="other", network="other")
    template.add("other", "OS::Neutron::Router", external_gateway_info={"network": "other"})
    template.add("inner", "OS::Neutron::Router")
    return template


def test_port_after_the_subnets_of_its_network() -> None:
    assert subnets().waits("OS::Neutron::Port", network="net") == ["here"]


def test_port_on_an_unknown_network_after_subnets_of_unknown_ones() -> None:
    assert subnets().waits("OS::Neutron::Port", network=None) == ["somewhere"]


def test_server_after_the_subnets_of_its_networks_and_of_unknown_ones() -> None:
    networks = [{"network": "net"}, {"network": "net"}]

    assert subnets().waits("OS::Nova::Server", networks=networks) == ["here", "somewhere"]


def test_server_on_an_unknown_network_after_all_subnets() -> None:
    networks = [{"network": "net"}, {"port": "p"}]

    assert subnets().waits("OS::Nova::Server", networks=networks) == ["here", "somewhere", "there"]


def test_server_without_networks_waits_for_none() -> None:
    assert subnets().waits("OS::Nova::Server", networks=[]) == []


def test_router_after_the_subnets_of_its_way_out() -> None:
    assert subnets().waits("OS::Neutron::Router", external_gateway_info={"network": "other"}) == ["there"]


def test_router_without_a_way_out_waits_for_none() -> None:
    assert subnets().waits("OS::Neutron::Router") == []


def test_router_gateway_after_the_subnets_outside() -> None:
    assert subnets().waits("OS::Neutron::RouterGateway", router_id="router", network="net") == ["here"]


def test_router_gateway_after_the_interfaces_inside() -> None:
    waits = interfaces().waits("OS::Neutron::RouterGateway", router_id="router", network="net")

    assert waits == ["by_port", "to_here"]


def test_floating_ip_after_what_leads_to_its_network() -> None:
    assert gateways().waits("OS::Neutron::FloatingIP", floating_network="ext") == ["gateway", "router"]


def test_floating_ip_after_the_interfaces_to_all_subnets_of_its_port() -> None:
    waits = interfaces().waits("OS::Neutron::FloatingIP", floating_network="ext", port_id="both")

    assert waits == ["to_here", "to_there"]


def test_floating_ip_of_a_port_that_may_be_anywhere_after_all_interfaces() -> None:
    waits = interfaces().waits("OS::Neutron::FloatingIP", floating_network="ext", port_id="anywhere")

    assert waits == ["by_port", "to_here", "to_there"]


def test_floating_ip_of_a_port_with_an_address_only_after_interfaces_by_port() -> None:
    waits = interfaces().waits("OS::Neutron::FloatingIP", floating_network="ext", port_id="chosen")

    assert waits == ["by_port"]


def test_floating_ip_of_anything_but_a_port_waits_for_no_interface() -> None:
    for port in (None, "unknown", "server"):
        assert interfaces().waits("OS::Neutron::FloatingIP", floating_network="ext", port_id=port) == []


def test_association_after_the_interface_to_the_first_subnet_of_its_port() -> None:
    assert interfaces().waits("OS::Neutron::FloatingIPAssociation", port_id="both") == ["to_here"]


def test_association_with_a_port_that_may_be_anywhere_waits_for_none() -> None:
    assert interfaces().waits("OS::Neutron::FloatingIPAssociation", port_id="anywhere") == []


def test_port_forward_after_the_interface_to_the_first_subnet_of_its_port() -> None:
    assert interfaces().waits("OS::Neutron::FloatingIPPortForward", internal_port="both") == ["to_here"]


def test_extra_route_after_the_sides_of_its_router() -> None:
    template = gateways()
    template.add("interface", "OS::Neutron::RouterInterface", router="router")

    assert template.waits("OS::Neutron::ExtraRoute", router_id="router") == ["gateway", "interface"]


def test_extra_route_set_after_the_interfaces_of_its_router() -> None:
    assert interfaces().waits("OS::Neutron::ExtraRouteSet", router="router") == ["by_port", "to_here"]


def test_vpc_gateway_attachment_after_the_route_tables_of_the_vpc() -> None:
    template = Template()
    template.add("table", "AWS::EC2::RouteTable", VpcId="vpc")
    template.add("other", "AWS::EC2::RouteTable", VpcId="other")

    assert template.waits("AWS::EC2::VPCGatewayAttachment", VpcId="vpc") == ["table"]
