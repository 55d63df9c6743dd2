"""Security groups, their rules, and address groups."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.network import Networks, problem


def said(rules: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    return {(rule["direction"], rule["ethertype"], rule["remote_group_id"]) for rule in rules}


class TestGroups:
    def test_every_project_has_a_default_group_whose_members_talk_to_each_other(
        self, networks: Networks, stranger: str
    ) -> None:
        group = networks.named("security-groups", "default", stranger)
        assert said(group["security_group_rules"]) == {
            ("egress", "IPv4", None),
            ("egress", "IPv6", None),
            ("ingress", "IPv4", group["id"]),
            ("ingress", "IPv6", group["id"]),
        }
        assert all(rule["belongs_to_default_sg"] for rule in group["security_group_rules"])
        assert networks.named("security-groups", "default")["id"] != group["id"]

    def test_a_new_group_allows_egress_only(self, networks: Networks) -> None:
        group = networks.make("security_group", name="web")
        assert said(group["security_group_rules"]) == {("egress", "IPv4", None), ("egress", "IPv6", None)}
        assert group["stateful"] is True

    def test_the_default_group_cannot_be_deleted(self, networks: Networks) -> None:
        default = networks.named("security-groups", "default")["id"]
        assert problem(networks.delete("security_group", default)) == (
            409,
            "SecurityGroupCannotRemoveDefault",
        )
        assert problem(networks.change("security_group", default, name="other")) == (
            409,
            "SecurityGroupCannotUpdateDefault",
        )
        assert problem(networks.try_to_make("security_group", name="default")) == (
            409,
            "SecurityGroupDefaultAlreadyExists",
        )

    def test_a_group_in_use_cannot_be_deleted(self, networks: Networks) -> None:
        group = networks.make("security_group", name="web")
        network = networks.subnet()["network_id"]
        port = networks.make("port", network_id=network, security_groups=[group["id"]])
        assert problem(networks.delete("security_group", group["id"])) == (409, "SecurityGroupInUse")
        found = networks.get(f"ports?security_groups={group['id']}")["ports"]
        assert [each["id"] for each in found] == [port["id"]]
        networks.change("port", port["id"], security_groups=[])
        assert networks.delete("security_group", group["id"]).status_code == 204

    def test_others_groups_cannot_be_used(self, networks: Networks, stranger: str) -> None:
        group = networks.make("security_group", stranger, name="web")
        answer = networks.try_to_make(
            "port", network_id=networks.subnet()["network_id"], security_groups=[group["id"]]
        )
        assert problem(answer) == (404, "SecurityGroupNotFound")


class TestRules:
    @pytest.fixture
    def group(self, networks: Networks) -> str:
        return str(networks.make("security_group", name="web")["id"])

    def wish(self, group: str, **members: Any) -> dict[str, Any]:
        return {"security_group_id": group, "direction": "ingress", **members}

    def test_a_rule_is_shown_in_its_group(self, networks: Networks, group: str) -> None:
        rule = networks.make(
            "security_group_rule",
            **self.wish(
                group,
                protocol="TCP",
                port_range_min=80,
                port_range_max="90",
                remote_ip_prefix="10.0.0.7/8",
            ),
        )
        assert (rule["protocol"], rule["port_range_max"]) == ("tcp", 90)
        assert rule["remote_ip_prefix"] == "10.0.0.0/8"
        assert rule["ethertype"] == "IPv4"
        shown = networks.show("security_group", group)["security_group_rules"]
        assert rule["id"] in [each["id"] for each in shown]
        assert networks.delete("security_group_rule", rule["id"]).status_code == 204

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"protocol": "tcp"}, {"protocol": "6"}),
            ({}, {"protocol": "any"}),
            ({}, {"remote_ip_prefix": "0.0.0.0/0"}),
            ({"description": "one"}, {"description": "two"}),
        ],
    )
    def test_duplicate_rules_are_rejected(
        self, networks: Networks, group: str, first: dict[str, Any], second: dict[str, Any]
    ) -> None:
        networks.make("security_group_rule", **self.wish(group, **first))
        answer = networks.try_to_make("security_group_rule", **self.wish(group, **second))
        assert problem(answer) == (409, "SecurityGroupRuleExists")

    @pytest.mark.parametrize(
        ("members", "kind"),
        [
            ({"port_range_min": 80, "port_range_max": 80}, "SecurityGroupProtocolRequiredWithPorts"),
            (
                {"protocol": "tcp", "port_range_min": 90, "port_range_max": 80},
                "SecurityGroupInvalidPortRange",
            ),
            ({"protocol": "icmp", "port_range_min": 300}, "SecurityGroupInvalidIcmpValue"),
            ({"protocol": "icmp", "port_range_max": 0}, "SecurityGroupMissingIcmpType"),
            ({"protocol": "carrier-pigeon"}, "SecurityGroupRuleInvalidProtocol"),
            ({"ethertype": "IPv6", "remote_ip_prefix": "10.0.0.0/8"}, "SecurityGroupRuleParameterConflict"),
        ],
    )
    def test_invalid_requests_are_rejected(
        self, networks: Networks, group: str, members: dict[str, Any], kind: str
    ) -> None:
        answer = networks.try_to_make("security_group_rule", **self.wish(group, **members))
        assert problem(answer) == (400, kind)

    def test_remote_attributes_are_mutually_exclusive(self, networks: Networks, group: str) -> None:
        both = self.wish(group, remote_group_id=group, remote_ip_prefix="10.0.0.0/8")
        assert networks.try_to_make("security_group_rule", **both).status_code == 400
        rule = networks.make("security_group_rule", **self.wish(group, remote_group_id=group))
        assert rule["remote_group_id"] == group


class TestAddressGroups:
    def test_addresses_are_added_and_removed(self, networks: Networks) -> None:
        group = networks.make("address_group", name="offices", addresses=["10.1.0.7", "10.2.0.0/16"])
        assert group["addresses"] == ["10.1.0.7/32", "10.2.0.0/16"]
        path = f"address-groups/{group['id']}"
        added = networks.call("PUT", f"{path}/add_addresses", {"addresses": ["10.3.0.0/16"]})
        assert added.json()["address_group"]["addresses"][-1] == "10.3.0.0/16"
        removed = networks.call("PUT", f"{path}/remove_addresses", {"addresses": ["10.1.0.7/32"]})
        assert removed.json()["address_group"]["addresses"] == ["10.2.0.0/16", "10.3.0.0/16"]
        again = networks.call("PUT", f"{path}/remove_addresses", {"addresses": ["10.1.0.7/32"]})
        assert problem(again) == (400, "AddressesNotFound")

    def test_a_group_in_use_by_rules_cannot_be_deleted(self, networks: Networks) -> None:
        group = networks.make("address_group", name="offices")
        security_group = networks.make("security_group", name="web")["id"]
        networks.make(
            "security_group_rule",
            security_group_id=security_group,
            direction="ingress",
            remote_address_group_id=group["id"],
        )
        assert problem(networks.delete("address_group", group["id"])) == (409, "AddressGroupInUse")
