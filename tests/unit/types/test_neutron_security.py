"""Security groups and their rules at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import Conflict, OverLimit
from calor.testing import FakeCloud, properties_of
from calor.types.neutron.security.rule_changes import rule_key
from calor.types.neutron.security.security_group import SecurityGroup
from calor.types.neutron.security.security_group_rule import SecurityGroupRule
from tests.unit.types.neutron_work import deleted, found, intended, made, updated

RULES = "/security-group-rules"


def complete(*rules: dict[str, Any]) -> list[dict[str, Any]]:
    """Rules of a template, with the defaults of the schema."""
    filled: list[dict[str, Any]] = properties_of(SecurityGroup, rules=list(rules))["rules"]
    return filled


SSH = {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
WEB = {"protocol": "tcp", "port_range_min": 80, "port_range_max": 80, "remote_ip_prefix": "10.0.0.0/8"}
OUT = {"direction": "egress", "protocol": "udp", "port_range_min": 53, "port_range_max": 53}


def with_groups() -> FakeCloud:
    """A cloud whose new groups let everything out."""
    cloud = FakeCloud()

    def make(request: Any) -> dict[str, Any]:
        group = cloud.place("/security-groups/g", **request.body["security_group"])
        for version in ("IPv4", "IPv6"):
            cloud.place(
                f"{RULES}/out-{version}",
                security_group_id="g",
                direction="egress",
                ethertype=version,
                protocol=None,
                port_range_min=None,
                port_range_max=None,
                remote_ip_prefix=None,
                remote_group_id=None,
                description=None,
            )
        return {"security_group": dict(group)}

    cloud.responses["POST /security-groups"] = make
    return cloud


def rules(cloud: FakeCloud) -> list[tuple[Any, ...]]:
    return sorted(
        (rule["direction"], rule["ethertype"], rule.get("protocol"), rule.get("port_range_min"))
        for path, rule in cloud.objects.items()
        if path.startswith(RULES)
    )


ALL_OUT: list[tuple[Any, ...]] = [("egress", "IPv4", None, None), ("egress", "IPv6", None, None)]


def test_a_group_has_its_rules_and_lets_everything_out() -> None:
    cloud = with_groups()
    context = made(SecurityGroup, cloud, description="web servers", rules=[SSH, WEB], stateful=False)

    assert cloud.body("POST /security-groups")["security_group"] == {
        "name": context.physical_name(),
        "description": "web servers",
        "stateful": False,
    }
    assert cloud.body("POST /security-group-rules") == {
        "security_group_rule": {
            "security_group_id": "g",
            "direction": "ingress",
            "ethertype": "IPv4",
            "protocol": "tcp",
            "port_range_min": 80,
            "port_range_max": 80,
            "remote_ip_prefix": "10.0.0.0/8",
        }
    }
    assert rules(cloud) == [*ALL_OUT, ("ingress", "IPv4", "tcp", 22), ("ingress", "IPv4", "tcp", 80)]


def test_a_group_with_a_rule_about_egress_lets_nothing_else_out() -> None:
    cloud = with_groups()
    made(SecurityGroup, cloud, rules=[OUT])

    assert rules(cloud) == [("egress", "IPv4", "udp", 53)]


def test_a_listed_rule_that_every_group_has_is_not_made_again() -> None:
    cloud = with_groups()
    made(SecurityGroup, cloud, rules=[{"direction": "egress", "remote_ip_prefix": "0.0.0.0/0"}])

    assert rules(cloud) == [("egress", "IPv4", None, None)]
    assert "POST /security-group-rules" not in cloud.lines()


@pytest.mark.parametrize(("named", "group"), [(None, "g"), ("other", "other")])
def test_a_rule_may_be_about_the_ports_of_a_group(named: str | None, group: str) -> None:
    rule = {"remote_mode": "remote_group_id", "remote_ip_prefix": "10.0.0.0/8"}
    rule |= {"remote_group_id": named} if named else {}
    cloud = with_groups()
    made(SecurityGroup, cloud, rules=[rule])

    body = cloud.body("POST /security-group-rules")["security_group_rule"]
    assert body["remote_group_id"] == group
    assert "remote_ip_prefix" not in body


def test_an_update_changes_only_the_rules_that_differ() -> None:
    cloud = with_groups()
    context = made(SecurityGroup, cloud, rules=[SSH, WEB])
    before = {path: rule["id"] for path, rule in cloud.objects.items()}
    cloud.requests.clear()
    updated(context, rules=complete(WEB, OUT))

    assert rules(cloud) == [("egress", "IPv4", "udp", 53), ("ingress", "IPv4", "tcp", 80)]
    assert cloud.lines(without="GET").count("POST /security-group-rules") == 1
    assert len(before.keys() & cloud.objects.keys()) == 2
    updated(context, rules=complete())
    assert rules(cloud) == ALL_OUT


def test_rules_declared_apart_stay() -> None:
    cloud = with_groups()
    context = made(SecurityGroup, cloud, rules=[SSH])
    cloud.ids["neutron.security_group", "this"] = "g"
    made(SecurityGroupRule, cloud, security_group="this", port_range_min=443, port_range_max=443)
    updated(context, rules=complete())

    assert rules(cloud) == [*ALL_OUT, ("ingress", "IPv4", "tcp", 443)]


def test_a_rule_that_the_service_knows_already_is_fine() -> None:
    cloud = with_groups()
    cloud.responses["POST /security-group-rules"] = Conflict("exists", status=409)

    assert made(SecurityGroup, cloud, rules=[SSH]).physical_id == "g"


def test_a_rule_beyond_the_quota_fails() -> None:
    cloud = with_groups()
    cloud.responses["POST /security-group-rules"] = OverLimit("quota exceeded", status=409)

    with pytest.raises(OverLimit):
        made(SecurityGroup, cloud, rules=[SSH])


def test_a_group_whose_creation_was_interrupted_gets_the_rules_it_lacks() -> None:
    cloud = with_groups()
    first = made(SecurityGroup, cloud, rules=[SSH, OUT])
    cloud.objects = {path: one for path, one in cloud.objects.items() if one.get("protocol") != "tcp"}
    again = intended(SecurityGroup, cloud, rules=[SSH, OUT])
    again.physical_id = first.physical_id

    assert found(again)
    assert rules(cloud) == [("egress", "IPv4", "udp", 53), ("ingress", "IPv4", "tcp", 22)]


def test_a_group_in_use_is_deleted_when_it_is_free() -> None:
    cloud = with_groups()
    context = made(SecurityGroup, cloud)
    cloud.responses["DELETE /security-groups/g"] = [Conflict("in use", status=409)]
    deleted(context)

    assert "/security-groups/g" not in cloud.objects


def test_a_rule_is_added_to_a_group_of_any_origin() -> None:
    context = made(
        SecurityGroupRule, security_group="web", remote_group="default", port_range_min=5432, protocol="tcp"
    )

    assert context.services.body("POST /security-group-rules")["security_group_rule"] == {
        "security_group_id": "sg-web",
        "direction": "ingress",
        "ethertype": "IPv4",
        "port_range_min": 5432,
        "protocol": "tcp",
        "remote_group_id": "sg-default",
    }
    deleted(context)
    assert context.services.objects == {}


def test_a_rule_whose_creation_was_interrupted_is_found_by_what_it_allows() -> None:
    cloud = FakeCloud()
    alike = {"security_group_id": "sg-web", "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp"}
    cloud.place(f"{RULES}/other", **alike, port_range_min=80, port_range_max=80)
    context = intended(SecurityGroupRule, cloud, security_group="web", port_range_min=22, port_range_max=22)
    assert not found(context)
    cloud.place(f"{RULES}/mine", **alike, port_range_min=22, port_range_max=22)

    assert found(context)
    assert context.physical_id == "mine"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"protocol": "tcp"}, {"protocol": "6"}),
        ({"protocol": "icmpv6", "ethertype": "IPv6"}, {"protocol": "ipv6-icmp", "ethertype": "IPv6"}),
        ({"protocol": "icmp", "ethertype": "IPv6"}, {"protocol": "58", "ethertype": "IPv6"}),
        ({"remote_ip_prefix": "10.1.2.3/8"}, {"remote_ip_prefix": "10.0.0.0/8"}),
        ({"remote_ip_prefix": "::/0"}, {"remote_ip_prefix": None}),
        ({"port_range_min": "22"}, {"port_range_min": 22}),
        ({"description": ""}, {"description": None}),
    ],
)
def test_rules_that_mean_the_same_are_alike(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert rule_key(one) == rule_key(other)


@pytest.mark.parametrize(
    "other", [{"protocol": "udp"}, {"ethertype": "IPv6"}, {"remote_group_id": "g"}, {"description": "why"}]
)
def test_rules_that_differ_are_not_alike(other: dict[str, Any]) -> None:
    rule = {"protocol": "tcp", "ethertype": "IPv4"}
    assert rule_key(rule) != rule_key({**rule, **other})
