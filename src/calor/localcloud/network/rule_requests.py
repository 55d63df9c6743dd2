"""Attributes of security group rules."""

from __future__ import annotations

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, Attribute, Kind, shown
from calor.localcloud.network.records import SecurityGroup, SecurityGroupRule
from calor.localcloud.network.service import NetworkService
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import nullable, one_of
from calor.localcloud.types import Json

PROTOCOLS = {
    "ah": 51,
    "dccp": 33,
    "egp": 8,
    "esp": 50,
    "gre": 47,
    "icmp": 1,
    "icmpv6": 58,
    "igmp": 2,
    "ipip": 4,
    "ipv6-encap": 41,
    "ipv6-frag": 44,
    "ipv6-icmp": 58,
    "ipv6-nonxt": 59,
    "ipv6-opts": 60,
    "ipv6-route": 43,
    "ospf": 89,
    "pgm": 113,
    "rsvp": 46,
    "sctp": 132,
    "tcp": 6,
    "udp": 17,
    "udplite": 136,
    "vrrp": 112,
}


_SUBSTANCE = (
    "security_group_id",
    "direction",
    "ethertype",
    "protocol",
    "port_range_min",
    "port_range_max",
    "remote_ip_prefix",
    "remote_group_id",
    "remote_address_group_id",
)
_ANYWHERE = ("0.0.0.0/0", "::/0")


def _protocol(value: object, where: str) -> str | None:
    if value is None or (written := str(value).lower()) in ("any", "-1"):
        return None
    if written in PROTOCOLS:
        return written
    if not written.isdecimal() or len(written) > 3 or int(written) > 255:
        raise BadRequest(f"There is no protocol '{str(value)[:255]}'.", "SecurityGroupRuleInvalidProtocol")
    return str(int(written))


def _ethertype(value: object, where: str) -> str:
    families = {"ipv4": "IPv4", "ipv6": "IPv6"}
    if str(value).lower() not in families:
        raise BadRequest(f"There is no ethertype '{str(value)[:255]}'.", "SecurityGroupRuleInvalidEtherType")
    return families[str(value).lower()]


def _port(value: object, where: str) -> int | None:
    """-1 stands for none."""
    return None if value in (None, "", -1, "-1") else int(requests.whole(0, 65535)(value, where))


def _prefix(value: object, where: str) -> str | None:
    return None if value in (None, "") else str(requests.network(value, where))


KIND = Kind(
    "security_group_rule",
    "security_group_rules",
    "SecurityGroupRule",
    (
        DESCRIPTION,
        Attribute("security_group_id", requests.uuid, fixed=True, required=True),
        Attribute("direction", one_of("ingress", "egress"), fixed=True, required=True),
        Attribute("ethertype", _ethertype, fixed=True),
        Attribute("protocol", _protocol, fixed=True),
        Attribute("port_range_min", _port, fixed=True),
        Attribute("port_range_max", _port, fixed=True),
        Attribute("remote_ip_prefix", _prefix, fixed=True),
        Attribute("remote_group_id", nullable(requests.uuid), fixed=True),
        Attribute("remote_address_group_id", nullable(requests.uuid), fixed=True),
        *shown("normalized_cidr", "belongs_to_default_sg"),
    ),
)


def new_rule(networking: NetworkService, group: SecurityGroup, **given: object) -> SecurityGroupRule:
    """A new rule, not stored yet."""
    result = {"ethertype": "IPv4", **given, "project_id": group.project_id, "security_group_id": group.id}
    return networking.new_record(SecurityGroupRule, result, substance=_substance(result))


def _substance(given: Json) -> str:
    values = {name: given.get(name) for name in _SUBSTANCE}
    values["protocol"] = PROTOCOLS.get(given.get("protocol") or "", given.get("protocol"))
    if values["remote_ip_prefix"] in _ANYWHERE:
        values["remote_ip_prefix"] = None
    return " ".join(str(value) for value in values.values())


def show_rule(rule: SecurityGroupRule, belongs_to_default: bool) -> Json:
    return KIND.show(rule, rule_details(rule, belongs_to_default), admin=False)


def rule_details(rule: SecurityGroupRule, belongs_to_default: bool) -> Json:
    return {"normalized_cidr": rule.remote_ip_prefix, "belongs_to_default_sg": belongs_to_default}
