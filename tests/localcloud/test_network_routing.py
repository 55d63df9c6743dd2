"""Routers, floating ips and port forwardings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.network import Networks, addresses, problem


def add_interface(networks: Networks, router: dict[str, Any], **body: Any) -> Any:
    return networks.call("PUT", f"routers/{router['id']}/add_router_interface", body)


def remove_interface(networks: Networks, router: dict[str, Any], **body: Any) -> Any:
    return networks.call("PUT", f"routers/{router['id']}/remove_router_interface", body)


class TestInterfaces:
    def test_an_interface_takes_the_gateway_of_its_subnet(self, networks: Networks) -> None:
        subnet, router = networks.subnet(), networks.make("router")
        reported = add_interface(networks, router, subnet_id=subnet["id"]).json()
        assert reported["id"] == router["id"]
        assert reported["subnet_ids"] == [subnet["id"]]
        port = networks.show("port", reported["port_id"])
        assert addresses(port) == [subnet["gateway_ip"]]
        assert port["device_owner"] == "network:router_interface"
        assert port["device_id"] == router["id"]
        assert port["status"] == "ACTIVE"

    def test_an_interface_can_be_a_port(self, networks: Networks) -> None:
        subnet, router = networks.subnet(), networks.make("router")
        port = networks.make("port", network_id=subnet["network_id"])
        assert add_interface(networks, router, port_id=port["id"]).json()["port_id"] == port["id"]
        assert problem(add_interface(networks, networks.make("router"), port_id=port["id"])) == (
            409,
            "PortInUse",
        )
        assert remove_interface(networks, router, port_id=port["id"]).status_code == 200
        assert networks.call("GET", f"ports/{port['id']}").status_code == 404

    def test_invalid_subnets_for_interfaces(self, networks: Networks) -> None:
        router, subnet = networks.make("router"), networks.subnet()
        add_interface(networks, router, subnet_id=subnet["id"])
        assert problem(add_interface(networks, router, subnet_id=subnet["id"])) == (400, "BadRequest")
        bare = networks.subnet("10.6.0.0/24", gateway_ip=None)
        assert problem(add_interface(networks, router, subnet_id=bare["id"])) == (400, "BadRequest")
        overlapping = networks.subnet("10.5.0.0/16")
        assert problem(add_interface(networks, router, subnet_id=overlapping["id"])) == (400, "BadRequest")

    def test_subnets_and_ports_of_a_router_cannot_be_deleted(self, networks: Networks) -> None:
        router, subnet = networks.make("router"), networks.subnet()
        port_id = add_interface(networks, router, subnet_id=subnet["id"]).json()["port_id"]
        assert problem(networks.delete("router", router["id"])) == (409, "RouterInUse")
        assert problem(networks.delete("port", port_id)) == (409, "ServicePortInUse")
        assert problem(networks.delete("subnet", subnet["id"])) == (409, "SubnetInUse")
        assert problem(networks.change("subnet", subnet["id"], gateway_ip="10.5.0.9")) == (
            409,
            "GatewayIpInUse",
        )
        assert remove_interface(networks, router, subnet_id=subnet["id"]).status_code == 200
        assert networks.delete("router", router["id"]).status_code == 204
        assert networks.delete("subnet", subnet["id"]).status_code == 204

    def test_missing_interfaces_are_not_found(self, networks: Networks) -> None:
        router, subnet = networks.make("router"), networks.subnet()
        assert problem(remove_interface(networks, router, subnet_id=subnet["id"])) == (
            404,
            "RouterInterfaceNotFoundForSubnet",
        )


class TestGateways:
    def test_a_gateway_is_an_address_of_the_external_network(self, networks: Networks) -> None:
        public = networks.named("networks", "public")
        router = networks.make("router", external_gateway_info={"network_id": public["id"]})
        info = router["external_gateway_info"]
        assert info["enable_snat"] is True
        assert info["external_fixed_ips"][0]["ip_address"].startswith("172.24.4.")
        cleared = networks.change("router", router["id"], external_gateway_info={})
        assert cleared.json()["router"]["external_gateway_info"] is None

    def test_only_external_networks_are_gateways(self, networks: Networks) -> None:
        network = networks.make("network")
        answer = networks.try_to_make("router", external_gateway_info={"network_id": network["id"]})
        assert problem(answer) == (400, "BadRequest")

    def test_external_fixed_ips_and_snat_are_for_admins(self, networks: Networks) -> None:
        public = networks.named("networks", "public")
        chosen = {"network_id": public["id"], "external_fixed_ips": [{"ip_address": "172.24.4.99"}]}
        assert networks.try_to_make("router", external_gateway_info=chosen).status_code == 403
        router = networks.make("router", "admin", external_gateway_info={**chosen, "enable_snat": False})
        info = router["external_gateway_info"]
        assert info["external_fixed_ips"][0]["ip_address"] == "172.24.4.99"
        assert info["enable_snat"] is False

    def test_a_gateway_in_use_by_floating_ips_cannot_be_cleared(self, networks: Networks) -> None:
        port, router = networks.routed_port()
        public = networks.named("networks", "public")
        networks.make("floatingip", floating_network_id=public["id"], port_id=port["id"])
        answer = networks.change("router", router["id"], external_gateway_info=None)
        assert problem(answer) == (409, "RouterExternalGatewayInUseByFloatingIp")


class TestRoutes:
    @pytest.fixture
    def router(self, networks: Networks) -> dict[str, Any]:
        router = networks.make("router")
        add_interface(networks, router, subnet_id=networks.subnet()["id"])
        return router

    def extra(self, networks: Networks, router: dict[str, Any], action: str, *hops: str) -> Any:
        routes = [
            {"destination": f"10.{100 + place}.0.0/24", "nexthop": hop} for place, hop in enumerate(hops)
        ]
        return networks.call("PUT", f"routers/{router['id']}/{action}", {"router": {"routes": routes}})

    def test_routes_are_added_and_removed_one_by_one(
        self, networks: Networks, router: dict[str, Any]
    ) -> None:
        self.extra(networks, router, "add_extraroutes", "10.5.0.7", "10.5.0.8")
        again = self.extra(networks, router, "add_extraroutes", "10.5.0.7").json()["router"]["routes"]
        assert [route["nexthop"] for route in again] == ["10.5.0.7", "10.5.0.8"]
        left = self.extra(networks, router, "remove_extraroutes", "10.5.0.7").json()["router"]["routes"]
        assert [route["nexthop"] for route in left] == ["10.5.0.8"]
        changed = networks.change("router", router["id"], routes=[])
        assert changed.json()["router"]["routes"] == []

    def test_unreachable_next_hops_are_rejected(self, networks: Networks, router: dict[str, Any]) -> None:
        for hop in ("10.77.0.1", "10.5.0.1"):
            answer = self.extra(networks, router, "add_extraroutes", hop)
            assert problem(answer) == (400, "InvalidRoutes")

    def test_an_interface_in_use_by_routes_cannot_be_removed(
        self, networks: Networks, router: dict[str, Any]
    ) -> None:
        self.extra(networks, router, "add_extraroutes", "10.5.0.7")
        [leg] = networks.get(f"ports?device_id={router['id']}")["ports"]
        answer = remove_interface(networks, router, port_id=leg["id"])
        assert problem(answer) == (409, "RouterInterfaceInUseByRoute")


class TestFloatingIps:
    @pytest.fixture
    def public(self, networks: Networks) -> str:
        return str(networks.named("networks", "public")["id"])

    def test_association_and_reassociation(self, networks: Networks, public: str) -> None:
        port, router = networks.routed_port()
        made = networks.make("floatingip", floating_network_id=public)
        assert made["status"] == "DOWN"
        assert made["port_id"] is None
        led = networks.change("floatingip", made["id"], port_id=port["id"]).json()["floatingip"]
        assert led["status"] == "ACTIVE"
        assert led["fixed_ip_address"] == addresses(port)[0]
        assert led["router_id"] == router["id"]
        assert led["port_details"]["mac_address"] == port["mac_address"]
        freed = networks.change("floatingip", made["id"], port_id=None).json()["floatingip"]
        assert (freed["port_id"], freed["fixed_ip_address"], freed["router_id"]) == (None, None, None)

    def test_a_fixed_ip_has_only_one_floating_ip(self, networks: Networks, public: str) -> None:
        port, _ = networks.routed_port()
        networks.make("floatingip", floating_network_id=public, port_id=port["id"])
        answer = networks.try_to_make("floatingip", floating_network_id=public, port_id=port["id"])
        assert problem(answer) == (409, "FloatingIPPortAlreadyAssociated")

    def test_association_needs_a_router(self, networks: Networks, public: str) -> None:
        port = networks.make("port", network_id=networks.subnet()["network_id"])
        answer = networks.try_to_make("floatingip", floating_network_id=public, port_id=port["id"])
        assert problem(answer) == (404, "ExternalGatewayForFloatingIPNotFound")

    def test_only_external_networks_have_floating_ips(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        answer = networks.try_to_make("floatingip", floating_network_id=network)
        assert problem(answer) == (400, "BadRequest")

    def test_admins_choose_the_address(self, networks: Networks, public: str) -> None:
        wish = {"floating_network_id": public, "floating_ip_address": "172.24.4.200"}
        assert networks.try_to_make("floatingip", **wish).status_code == 403
        made = networks.make("floatingip", "admin", **wish)
        assert made["floating_ip_address"] == "172.24.4.200"

    def test_deleting_the_port_dissociates(self, networks: Networks, public: str) -> None:
        port, router = networks.routed_port()
        made = networks.make("floatingip", floating_network_id=public, port_id=port["id"])
        [fixed] = port["fixed_ips"]
        answer = remove_interface(networks, router, subnet_id=fixed["subnet_id"])
        assert problem(answer) == (409, "RouterInterfaceInUseByFloatingIP")
        networks.delete("port", port["id"])
        assert networks.show("floatingip", made["id"])["port_id"] is None
        assert remove_interface(networks, router, subnet_id=fixed["subnet_id"]).status_code == 200

    def test_deleting_releases_the_address(self, networks: Networks, public: str) -> None:
        used = networks.get(f"network-ip-availabilities/{public}", "admin")["network_ip_availability"]
        made = networks.make("floatingip", floating_network_id=public)
        assert networks.delete("floatingip", made["id"]).status_code == 204
        now = networks.get(f"network-ip-availabilities/{public}", "admin")["network_ip_availability"]
        assert now == used

    def test_port_forwardings(self, networks: Networks, public: str) -> None:
        port, _ = networks.routed_port()
        made = networks.make("floatingip", floating_network_id=public)
        path = f"floatingips/{made['id']}/port_forwardings"
        wish = {"internal_port_id": port["id"], "internal_port": 80, "external_port": 8080, "protocol": "tcp"}
        answer = networks.call("POST", path, {"port_forwarding": wish})
        assert answer.status_code == 201
        forwarding = answer.json()["port_forwarding"]
        assert forwarding["internal_ip_address"] == addresses(port)[0]
        assert forwarding["external_port_range"] == "8080:8080"
        assert networks.call("POST", path, {"port_forwarding": wish}).status_code == 400
        changed = networks.call(
            "PUT", f"{path}/{forwarding['id']}", {"port_forwarding": {"external_port": 8081}}
        )
        assert changed.json()["port_forwarding"]["external_port"] == 8081
        [shown] = networks.show("floatingip", made["id"])["port_forwardings"]
        assert shown["external_port"] == 8081
        assert problem(networks.change("floatingip", made["id"], port_id=port["id"])) == (
            409,
            "FipInUseByPortForwarding",
        )
        assert networks.call("DELETE", f"{path}/{forwarding['id']}").status_code == 204
        assert networks.get(path) == {"port_forwardings": []}


def test_the_seeded_router_connects_heat_net_and_public(networks: Networks) -> None:
    router = networks.named("routers", "heat-router")
    heat, public = networks.named("networks", "heat-net"), networks.named("networks", "public")
    assert router["external_gateway_info"]["network_id"] == public["id"]
    assert public["router:external"] is True
    legs = networks.get(f"ports?device_id={router['id']}&network_id={heat['id']}")["ports"]
    assert [addresses(leg) for leg in legs] == [["10.0.0.1"]]
    assert networks.named("networks", "test-net")["subnets"] != []


def test_deleted_seeded_networks_are_not_seeded_again(networks: Networks) -> None:
    test_net = networks.named("networks", "test-net")
    assert networks.delete("network", test_net["id"]).status_code == 204
    networks.cloud.restart()
    assert networks.get("networks?name=test-net")["networks"] == []
    assert len(networks.get("networks?name=heat-net")["networks"]) == 1
