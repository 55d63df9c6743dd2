"""Subnet pools, address scopes, QoS, trunks, RBAC, segments, metering, quotas and what surrounds them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.network import Networks, addresses, problem


class TestSubnetPools:
    @pytest.fixture
    def pool(self, networks: Networks) -> dict[str, Any]:
        return networks.make(
            "subnetpool", name="pool", prefixes=["10.40.0.0/17", "10.40.128.0/17"], default_prefixlen=26
        )

    def subnet(self, networks: Networks, pool: dict[str, Any], **members: Any) -> Any:
        network = networks.make("network")["id"]
        return networks.try_to_make(
            "subnet", network_id=network, subnetpool_id=pool["id"], ip_version=4, **members
        )

    def test_adjacent_prefixes_are_merged(self, pool: dict[str, Any]) -> None:
        assert pool["prefixes"] == ["10.40.0.0/16"]
        assert (pool["ip_version"], pool["min_prefixlen"], pool["max_prefixlen"]) == (4, 8, 32)

    def test_subnets_get_free_prefixes(self, networks: Networks, pool: dict[str, Any]) -> None:
        cidrs = [self.subnet(networks, pool).json()["subnet"]["cidr"] for _ in range(2)]
        assert cidrs == ["10.40.0.0/26", "10.40.0.64/26"]
        assert self.subnet(networks, pool, prefixlen=24).json()["subnet"]["cidr"] == "10.40.1.0/24"
        assert self.subnet(networks, pool, cidr="10.40.9.0/24").json()["subnet"]["cidr"] == "10.40.9.0/24"
        taken = self.subnet(networks, pool, cidr="10.40.9.0/25")
        assert problem(taken) == (409, "SubnetAllocationError")
        assert problem(networks.delete("subnetpool", pool["id"])) == (409, "SubnetPoolInUse")

    def test_prefix_lengths_are_limited(self, networks: Networks, pool: dict[str, Any]) -> None:
        networks.change("subnetpool", pool["id"], min_prefixlen=20, max_prefixlen=28)
        assert problem(self.subnet(networks, pool, prefixlen=16)) == (400, "MinPrefixSubnetAllocationError")
        assert problem(self.subnet(networks, pool, prefixlen=30)) == (400, "MaxPrefixSubnetAllocationError")

    def test_prefixes_are_added_and_removed(self, networks: Networks, pool: dict[str, Any]) -> None:
        path = f"subnetpools/{pool['id']}"
        added = networks.call("PUT", f"{path}/add_prefixes", {"prefixes": ["10.41.0.0/16"]})
        assert added.json() == {"prefixes": ["10.40.0.0/15"]}
        removed = networks.call("PUT", f"{path}/remove_prefixes", {"prefixes": ["10.40.0.0/16"]})
        assert removed.json() == {"prefixes": ["10.41.0.0/16"]}
        assert problem(networks.change("subnetpool", pool["id"], prefixes=["10.50.0.0/16"])) == (
            400,
            "IllegalSubnetPoolPrefixUpdate",
        )

    def test_within_a_scope_pools_do_not_overlap(self, networks: Networks, pool: dict[str, Any]) -> None:
        scope = networks.make("address_scope", name="scope", ip_version=4)["id"]
        assert networks.change("subnetpool", pool["id"], address_scope_id=scope).status_code == 200
        other = networks.try_to_make(
            "subnetpool", name="other", prefixes=["10.40.7.0/24"], address_scope_id=scope
        )
        assert problem(other) == (409, "AddressScopePrefixConflict")
        assert problem(networks.delete("address_scope", scope)) == (409, "AddressScopeInUse")
        network = self.subnet(networks, pool).json()["subnet"]["network_id"]
        assert networks.show("network", network)["ipv4_address_scope"] == scope


class TestQos:
    @pytest.fixture
    def policy(self, networks: Networks) -> str:
        return str(networks.make("policy", "admin", name="slow", shared=True)["id"])

    def test_rules_are_shown_in_their_policy(self, networks: Networks, policy: str) -> None:
        path = f"qos/policies/{policy}/bandwidth_limit_rules"
        wish = {"bandwidth_limit_rule": {"max_kbps": 1000}}
        made = networks.call("POST", path, wish, "admin")
        assert made.status_code == 201
        rule = made.json()["bandwidth_limit_rule"]
        assert rule == {"id": rule["id"], "max_kbps": 1000, "max_burst_kbps": 0, "direction": "egress"}
        assert problem(networks.call("POST", path, wish, "admin")) == (409, "QoSRulesConflict")
        assert [each["type"] for each in networks.show("policy", policy)["rules"]] == ["bandwidth_limit"]
        alias = f"qos/alias_bandwidth_limit_rules/{rule['id']}"
        changed = networks.call("PUT", alias, {"bandwidth_limit_rule": {"max_kbps": 2000}}, "admin")
        assert changed.json()["bandwidth_limit_rule"]["max_kbps"] == 2000
        assert networks.call("DELETE", f"{path}/{rule['id']}", user="admin").status_code == 204
        assert networks.get(path) == {"bandwidth_limit_rules": []}

    @pytest.mark.parametrize(
        ("kind", "values"),
        [
            ("dscp_marking", {"dscp_mark": 26}),
            ("minimum_bandwidth", {"min_kbps": 10, "direction": "ingress"}),
            ("minimum_packet_rate", {"min_kpps": 10, "direction": "any"}),
            ("packet_rate_limit", {"max_kpps": 10}),
        ],
    )
    def test_rule_types(self, networks: Networks, policy: str, kind: str, values: dict[str, Any]) -> None:
        path = f"qos/policies/{policy}/{kind}_rules"
        made = networks.call("POST", path, {f"{kind}_rule": values}, "admin").json()[f"{kind}_rule"]
        assert values.items() <= made.items()
        types = {each["type"] for each in networks.get("qos/rule-types")["rule_types"]}
        assert kind in types

    def test_a_policy_in_use_cannot_be_deleted(self, networks: Networks, policy: str) -> None:
        network = networks.subnet()["network_id"]
        port = networks.make("port", network_id=network, qos_policy_id=policy)
        assert problem(networks.delete("policy", policy, "admin")) == (409, "QosPolicyInUse")
        networks.change("port", port["id"], qos_policy_id=None)
        assert networks.delete("policy", policy, "admin").status_code == 204


class TestTrunks:
    def test_subports(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        parent, first, second = (networks.make("port", network_id=network) for _ in range(3))
        sub_port = {"port_id": first["id"], "segmentation_type": "vlan", "segmentation_id": 10}
        trunk = networks.make("trunk", port_id=parent["id"], sub_ports=[sub_port])
        assert trunk["sub_ports"] == [sub_port]
        assert networks.show("port", first["id"])["device_owner"] == "trunk:subport"
        reported = networks.show("port", parent["id"])["trunk_details"]
        assert reported["sub_ports"] == [{**sub_port, "mac_address": first["mac_address"]}]

        path = f"trunks/{trunk['id']}"
        clash = {"sub_ports": [{**sub_port, "port_id": second["id"]}]}
        assert problem(networks.call("PUT", f"{path}/add_subports", clash)) == (409, "DuplicateSubPort")
        more = {"sub_ports": [{**sub_port, "port_id": second["id"], "segmentation_id": 11}]}
        added = networks.call("PUT", f"{path}/add_subports", more).json()
        assert [each["segmentation_id"] for each in added["sub_ports"]] == [10, 11]
        gone = {"sub_ports": [{"port_id": first["id"]}]}
        left = networks.call("PUT", f"{path}/remove_subports", gone).json()["sub_ports"]
        assert networks.get(f"{path}/get_subports") == {"sub_ports": left}
        assert problem(networks.call("PUT", f"{path}/remove_subports", gone)) == (404, "SubPortNotFound")

        assert problem(networks.delete("port", parent["id"])) == (409, "PortInUseAsTrunkParent")
        assert problem(networks.delete("port", second["id"])) == (409, "PortInUseAsSubPort")
        assert networks.delete("trunk", trunk["id"]).status_code == 204
        assert networks.delete("port", second["id"]).status_code == 204


class TestSharing:
    def test_a_network_is_shared_with_one_project(self, networks: Networks, stranger: str) -> None:
        subnet = networks.subnet()
        network, elsewhere = subnet["network_id"], networks.cloud.id_of("projects", "elsewhere")
        policy = networks.make(
            "rbac_policy",
            object_type="network",
            object_id=network,
            action="access_as_shared",
            target_tenant=elsewhere,
        )
        assert networks.show("network", network, stranger)["shared"] is True
        assert networks.show("network", network)["shared"] is False
        assert [each["id"] for each in networks.get("subnets", stranger)["subnets"]] == [subnet["id"]]
        port = networks.make("port", stranger, network_id=network)
        assert problem(networks.delete("rbac_policy", policy["id"])) == (409, "RbacPolicyInUse")
        assert networks.delete("port", port["id"], stranger).status_code == 204
        assert networks.delete("rbac_policy", policy["id"]).status_code == 204
        assert networks.call("GET", f"networks/{network}", user=stranger).status_code == 404

    def test_only_admins_share_with_all_projects(self, networks: Networks) -> None:
        wish = {
            "object_type": "network",
            "object_id": networks.make("network")["id"],
            "action": "access_as_shared",
            "target_tenant": "*",
        }
        assert networks.try_to_make("rbac_policy", **wish).status_code == 403
        networks.make("rbac_policy", "admin", **wish)
        assert networks.try_to_make("rbac_policy", "admin", **wish).status_code == 409
        assert networks.show("network", wish["object_id"])["shared"] is True

    def test_a_security_group_can_be_shared(self, networks: Networks, stranger: str) -> None:
        group = networks.make("security_group", name="web")["id"]
        networks.make(
            "rbac_policy",
            object_type="security_group",
            object_id=group,
            action="access_as_shared",
            target_tenant=networks.cloud.id_of("projects", "elsewhere"),
        )
        network = networks.make("network", stranger)["id"]
        port = networks.make("port", stranger, network_id=network, security_groups=[group])
        assert port["security_groups"] == [group]


class TestQuotas:
    def test_quotas_are_enforced(self, networks: Networks) -> None:
        project = networks.cloud.id_of("projects", "demo")
        used = networks.get(f"quotas/{project}/details")["quota"]["network"]["used"]
        body = {"quota": {"network": used + 1}}
        assert networks.call("PUT", f"quotas/{project}", body).status_code == 403
        assert networks.call("PUT", f"quotas/{project}", body, "admin").json()["quota"]["network"] == used + 1
        networks.make("network")
        assert problem(networks.try_to_make("network")) == (409, "OverQuota")
        assert networks.call("DELETE", f"quotas/{project}", user="admin").status_code == 204
        default = networks.get(f"quotas/{project}/default")["quota"]
        assert networks.get(f"quotas/{project}")["quota"] == default
        networks.make("network")

    def test_quotas_of_others_are_not_shown(self, networks: Networks) -> None:
        other = networks.cloud.id_of("projects", "admin")
        assert networks.call("GET", f"quotas/{other}").status_code == 403


class TestForAdmins:
    def test_every_network_has_a_segment(self, networks: Networks) -> None:
        network = networks.make("network")["id"]
        [segment] = networks.get(f"segments?network_id={network}", "admin")["segments"]
        assert segment["network_type"] == "vxlan"
        more = networks.make("segment", "admin", network_id=network, network_type="geneve")
        assert networks.delete("segment", more["id"], "admin").status_code == 204
        assert networks.call("GET", "segments").status_code == 403

    def test_a_physical_network_has_only_one_flat_network(self, networks: Networks) -> None:
        flat = {"provider:network_type": "flat", "provider:physical_network": "wire"}
        made = networks.make("network", "admin", **flat)
        assert made["provider:physical_network"] == "wire"
        assert problem(networks.try_to_make("network", "admin", **flat)) == (409, "FlatNetworkInUse")

    def test_traffic_is_metered_by_labels(self, networks: Networks) -> None:
        label = networks.make("metering_label", "admin", name="all")["id"]
        rule = {"metering_label_id": label, "remote_ip_prefix": "10.0.0.0/8"}
        assert networks.make("metering_label_rule", "admin", **rule)["direction"] == "ingress"
        assert networks.try_to_make("metering_label_rule", "admin", **rule).status_code == 409
        assert networks.delete("metering_label", label, "admin").status_code == 204
        assert networks.get("metering/metering-label-rules", "admin") == {"metering_label_rules": []}

    def test_availability_counts_addresses(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        networks.make("port", network_id=network)
        reported = networks.get(f"network-ip-availabilities/{network}", "admin")["network_ip_availability"]
        assert (reported["total_ips"], reported["used_ips"]) == (253, 1)


class TestInfrastructure:
    def test_extensions(self, networks: Networks) -> None:
        aliases = {each["alias"] for each in networks.get("extensions")["extensions"]}
        assert {"router", "security-group", "qos", "trunk", "rbac-policies", "extraroute-atomic"} <= aliases
        assert networks.get("extensions/router")["extension"]["alias"] == "router"
        assert networks.call("GET", "extensions/vpnaas").status_code == 404

    def test_zones_and_agents(self, networks: Networks) -> None:
        zones = networks.get("availability_zones")["availability_zones"]
        assert {(zone["name"], zone["resource"]) for zone in zones} == {
            ("nova", "network"),
            ("nova", "router"),
        }
        assert networks.get("agents", "admin") == {"agents": []}

    def test_version_discovery_needs_no_token(self, networks: Networks) -> None:
        answer = networks.cloud.client.get("/network")
        assert [version["id"] for version in answer.json()["versions"]] == ["v2.0"]


def test_ipv6_subnets_share_a_router_interface(networks: Networks) -> None:
    network = networks.make("network")["id"]
    router = networks.make("router")["id"]
    ids = [networks.subnet(f"2001:db8:{place}::/64", network)["id"] for place in (1, 2)]
    ports = [
        networks.call("PUT", f"routers/{router}/add_router_interface", {"subnet_id": id}).json()["port_id"]
        for id in ids
    ]
    assert ports[0] == ports[1]
    assert addresses(networks.show("port", ports[0])) == ["2001:db8:1::1", "2001:db8:2::1"]
