"""What a rule of a security group is made of, on its own and within its group."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network import readers
from calor.localcloud.network.documents import SecurityGroup, SecurityGroupRule
from calor.localcloud.network.kinds import DESCRIPTION, Attribute, Kind, shown
from calor.localcloud.network.state import Networking
from calor.localcloud.problems import BadRequest
from calor.localcloud.reading import nullable, one_of

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


def _protocol(value: Any, where: str) -> str | None:
    if value is None or (written := str(value).lower()) in ("any", "-1"):
        return None
    if written in PROTOCOLS:
        return written
    if not written.isdecimal() or len(written) > 3 or int(written) > 255:
        raise BadRequest(f"There is no protocol '{str(value)[:255]}'.", "SecurityGroupRuleInvalidProtocol")
    return str(int(written))


def _ethertype(value: Any, where: str) -> str:
    families = {"ipv4": "IPv4", "ipv6": "IPv6"}
    if str(value).lower() not in families:
        raise BadRequest(f"There is no ethertype '{str(value)[:255]}'.", "SecurityGroupRuleInvalidEtherType")
    return families[str(value).lower()]


def _port(value: Any, where: str) -> int | None:
    """-1 has always been a way to say that there is none."""
    return None if value in (None, "", -1, "-1") else int(readers.whole(0, 65535)(value, where))


def _prefix(value: Any, where: str) -> str | None:
    return None if value in (None, "") else str(readers.network(value, where))


KIND = Kind(
    "security_group_rule",
    "security_group_rules",
    "SecurityGroupRule",
    (
        DESCRIPTION,
        Attribute("security_group_id", readers.uuid, fixed=True, required=True),
        Attribute("direction", one_of("ingress", "egress"), fixed=True, required=True),
        Attribute("ethertype", _ethertype, fixed=True),
        Attribute("protocol", _protocol, fixed=True),
        Attribute("port_range_min", _port, fixed=True),
        Attribute("port_range_max", _port, fixed=True),
        Attribute("remote_ip_prefix", _prefix, fixed=True),
        Attribute("remote_group_id", nullable(readers.uuid), fixed=True),
        Attribute("remote_address_group_id", nullable(readers.uuid), fixed=True),
        *shown("normalized_cidr", "belongs_to_default_sg"),
    ),
)


def new_rule(networking: Networking, group: SecurityGroup, **given: Any) -> SecurityGroupRule:
    """A rule that is not kept yet."""
    told = {"ethertype": "IPv4", **given, "project_id": group.project_id, "security_group_id": group.id}
    return networking.made(SecurityGroupRule, told, substance=_substance(told))


def _substance(given: dict[str, Any]) -> str:
    values = {name: given.get(name) for name in _SUBSTANCE}
    values["protocol"] = PROTOCOLS.get(given.get("protocol") or "", given.get("protocol"))
    if values["remote_ip_prefix"] in _ANYWHERE:
        values["remote_ip_prefix"] = None
    return " ".join(str(value) for value in values.values())


def show_rule(rule: SecurityGroupRule, belongs_to_default: bool) -> dict[str, Any]:
    return KIND.show(rule, rule_details(rule, belongs_to_default), admin=False)


def rule_details(rule: SecurityGroupRule, belongs_to_default: bool) -> dict[str, Any]:
    return {"normalized_cidr": rule.remote_ip_prefix, "belongs_to_default_sg": belongs_to_default}
