"""What depends on what: by reference, by depends_on, or because the types know it of each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.language.resolving import Resolved, resolve

TEST = "OS::Heat::TestResource"


def edges(text: str, **options: Any) -> list[tuple[str, str]]:
    resolved = resolve(text, **options)
    assert not resolved.diagnostics, resolved.messages
    return resolved.edges


class TestReferences:
    @pytest.mark.parametrize(
        "value",
        [
            "{get_resource: a}",
            "{get_attr: [a, output]}",
            "{get_attr: [a, output, deeper, 0]}",
            "{get_attr: [a]}",
            "{list_join: ['', [x, {get_resource: a}]]}",
            "{str_replace: {template: X, params: {X: {list_join: ['', [{get_attr: [a, output]}]]}}}}",
            "{get_attr: [{get_param: name}, output]}",
            "{get_resource: {get_param: name}}",
            "{if: [true, {get_resource: a}, {get_resource: b}]}",
        ],
    )
    def test_in_properties(self, value: str) -> None:
        assert edges(
            f"""
            parameters: {{name: {{type: string, default: a}}}}
            resources:
              a: {{type: {TEST}}}
              b: {{type: {TEST}}}
              r: {{type: {TEST}, properties: {{value: {value}}}}}
            """
        ) == [("r", "a")]

    def test_in_metadata(self) -> None:
        assert edges(
            f"""
            resources:
              a: {{type: {TEST}}}
              r: {{type: {TEST}, metadata: {{deep: [{{get_attr: [a, output]}}]}}}}
            """
        ) == [("r", "a")]

    def test_of_outputs_make_none(self) -> None:
        assert (
            edges(f"resources: {{a: {{type: {TEST}}}}}\noutputs: {{o: {{value: {{get_resource: a}}}}}}") == []
        )

    def test_several_to_the_same_resource_are_one(self) -> None:
        assert edges(
            f"""
            resources:
              a: {{type: {TEST}}}
              r:
                type: {TEST}
                depends_on: a
                properties: {{value: {{list_join: ['', [{{get_resource: a}}, {{get_resource: a}}]]}}}}
            """
        ) == [("r", "a")]

    def test_ref_and_getatt(self) -> None:
        assert edges(
            f"""
            AWSTemplateFormatVersion: 2010-09-09
            Parameters: {{P: {{Type: String, Default: A}}}}
            Resources:
              A: {{Type: '{TEST}'}}
              B: {{Type: '{TEST}', Properties: {{value: {{Ref: A}}}}}}
              C: {{Type: '{TEST}', Properties: {{value: {{'Fn::GetAtt': [B, output]}}}}}}
              D: {{Type: '{TEST}', Properties: {{value: {{Ref: P}}}}}}
            """,
            version=None,
        ) == [("B", "A"), ("C", "B")]

    @pytest.mark.parametrize("value", ["{get_resource: b}", "{get_attr: [b, output]}"])
    def test_to_nothing(self, value: str) -> None:
        resolved = resolve(
            f"resources: {{base: {{type: {TEST}}}, r: {{type: {TEST}, properties: {{value: {value}}}}}}}"
        )

        assert (resolved.only.code, resolved.only.kind) == ("E403", "InvalidTemplateReference")
        assert resolved.only.path == "resources.r.properties.value"

    def test_to_an_attribute_that_the_type_does_not_have(self) -> None:
        resolved = resolve(
            f"resources: {{a: {{type: {TEST}}}, r: {{type: {TEST}, properties: {{value: {{get_attr: [a, outptu]}}}}}}}}"
        )

        assert (resolved.only.code, resolved.only.kind) == ("E404", "InvalidTemplateAttribute")
        assert resolved.only.hint == "did you mean `output`?"


class TestDependsOn:
    @pytest.mark.parametrize("names", ["a", "[a]"])
    def test_one(self, names: str) -> None:
        text = f"resources: {{a: {{type: {TEST}}}, r: {{type: {TEST}, depends_on: {names}}}}}"

        assert edges(text) == [("r", "a")]

    def test_several(self) -> None:
        text = f"resources: {{a: {{type: {TEST}}}, b: {{type: {TEST}}}, r: {{type: {TEST}, depends_on: [b, a]}}}}"

        assert edges(text) == [("r", "a"), ("r", "b")]
        assert resolve(text).view["resources"]["r"]["explicit_depends"] == ["b", "a"]

    def test_an_unknown_one(self) -> None:
        found = resolve(
            f"resources: {{server: {{type: {TEST}}}, r: {{type: {TEST}, depends_on: [server, servr]}}}}"
        ).only

        assert (found.code, found.kind) == ("E403", "InvalidTemplateReference")
        assert found.path == "resources.r.depends_on[1]"
        assert found.hint == "did you mean `server`?"


class TestOrder:
    def test_each_comes_after_what_it_depends_on(self) -> None:
        resolved = resolve(
            f"""
            resources:
              d: {{type: {TEST}, depends_on: [b, c]}}
              c: {{type: {TEST}, depends_on: a}}
              b: {{type: {TEST}, depends_on: a}}
              a: {{type: {TEST}}}
            """
        )
        order = resolved.stack.graph.order()

        assert order[0] == "a"
        assert order[-1] == "d"
        assert all(order.index(node) > order.index(needed) for node, needed in resolved.edges)


class TestCycles:
    def cycle(self, text: str) -> Resolved:
        resolved = resolve(text)
        assert (resolved.only.code, resolved.only.kind) == ("E409", "CircularDependencyException")
        return resolved

    def test_is_named_in_order_each_waiting_for_the_next(self) -> None:
        resolved = self.cycle(
            f"""
            resources:
              outside: {{type: {TEST}, depends_on: one}}
              one: {{type: {TEST}, properties: {{value: {{get_resource: two}}}}}}
              two: {{type: {TEST}, depends_on: [three, apart]}}
              three: {{type: {TEST}, metadata: {{m: {{get_attr: [one, output]}}}}}}
              apart: {{type: {TEST}}}
            """
        )

        assert resolved.only.message == "these resources depend on each other: one → two → three → one"

    def test_of_one(self) -> None:
        resolved = self.cycle(
            f"resources: {{me: {{type: {TEST}, properties: {{value: {{get_resource: me}}}}}}}}"
        )

        assert resolved.only.message.endswith(": me → me")

    def test_is_pointed_at_in_the_text(self) -> None:
        resolved = self.cycle(
            f"resources:\n  a: {{type: {TEST}, depends_on: b}}\n  b: {{type: {TEST}, depends_on: a}}\n"
        )

        assert resolved.only.where is not None
        assert resolved.only.where.line == 3


NETWORK = """
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
"""


class TestKnownToTheTypes:
    """Networks work only with what is not named where they are used: subnets, interfaces, gateways."""

    def test_a_port_waits_for_the_subnets_of_its_network(self) -> None:
        text = NETWORK + "  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n"

        assert ("port", "subnet") in edges(text)

    def test_a_server_waits_for_the_subnets_of_its_network(self) -> None:
        text = NETWORK + (
            "  server: {type: OS::Nova::Server, properties: "
            "{flavor: small, image: cirros, networks: [{network: {get_resource: net}}]}}\n"
        )

        assert ("server", "subnet") in edges(text)

    def test_a_floating_ip_waits_for_the_gateway_of_its_router(self) -> None:
        text = (
            NETWORK
            + """
  router: {type: OS::Neutron::Router}
  gateway: {type: OS::Neutron::RouterGateway, properties: {router_id: {get_resource: router}, network: public}}
  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: public}}
"""
        )

        found = {(node, needed) for node, needed in resolve(text).edges}
        assert ("address", "gateway") in found

    def test_another_network_is_another_matter(self) -> None:
        text = (
            NETWORK
            + """
  other: {type: OS::Neutron::Net}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: other}}}
"""
        )

        assert ("port", "subnet") not in edges(text)
