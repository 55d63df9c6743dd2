"""Adds and removes the rules of a security group."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.clouds.services import unwrapped
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping
from calor.types.cloud_objects import Object, some

PROTOCOLS: Mapping[str, str] = {
    "icmp": "1",
    "igmp": "2",
    "tcp": "6",
    "egp": "8",
    "udp": "17",
    "dccp": "33",
    "ipv6-encap": "41",
    "ipv6-route": "43",
    "ipv6-frag": "44",
    "rsvp": "46",
    "gre": "47",
    "esp": "50",
    "ah": "51",
    "icmpv6": "58",
    "ipv6-icmp": "58",
    "ipv6-nonxt": "59",
    "ipv6-opts": "60",
    "ospf": "89",
    "vrrp": "112",
    "pgm": "113",
    "sctp": "132",
    "udplite": "136",
}
"""The numbers of protocols, by name."""

RuleKey = tuple[object, ...]
_PLAIN = ("direction", "ethertype", "port_range_min", "port_range_max", "protocol", "description")

LET_OUT: tuple[JsonMapping, ...] = (
    {"direction": "egress", "ethertype": "IPv4"},
    {"direction": "egress", "ethertype": "IPv6"},
)
"""The rules of every new group, which hold as long as none of the listed rules is about egress."""


async def set_rules(
    cloud: CloudServices,
    group: str,
    before: Sequence[JsonMapping],
    after: Sequence[JsonMapping],
    present: Sequence[JsonMapping] | None = None,
) -> list[Object]:
    """Rules that are not listed, such as separately declared ones, are kept. Returns the resulting rules; `present` are
    the current rules, if known."""
    if present is None:
        present = await cloud.list_all(
            "network", "security-group-rules", key="security_group_rules", params={"security_group_id": group}
        )
    surplus, missing = changes(group, present, before, after)
    for id in surplus:
        with suppress(NotFound):
            await cloud.request("network", "DELETE", "security-group-rules", id)
    made = []
    for rule in missing:
        body = {"security_group_rule": rule}
        # The service knows more ways than one to write the same rule.
        with suppress(Conflict):
            made.append(unwrapped(await cloud.request("network", "POST", "security-group-rules", body=body)))
    return [*(dict(rule) for rule in present if rule["id"] not in surplus), *made]


def changes(
    group: str,
    present: Sequence[JsonMapping],
    before: Sequence[JsonMapping],
    after: Sequence[JsonMapping],
) -> tuple[list[str], list[Object]]:
    """The ids of rules to delete and the requests for new ones, when other rules are listed than before. `present`
    are the rules that the group has by now."""
    listed = [requested(group, rule) for rule in after]
    if all(rule["direction"] != "egress" for rule in listed):
        listed += [{"security_group_id": group, **rule} for rule in LET_OUT]
    wanted = {rule_key(rule): rule for rule in listed}
    once = [*(requested(group, rule) for rule in before), *LET_OUT]
    unwanted = {rule_key(rule) for rule in once} - wanted.keys()
    surplus = [str(rule["id"]) for rule in present if rule_key(rule) in unwanted]
    there = {rule_key(rule) for rule in present}
    return surplus, [rule for alike, rule in wanted.items() if alike not in there]


def requested(group: str, rule: JsonMapping) -> Object:
    """A rule of a template in the format of the service."""
    body = {"security_group_id": group, **some(rule, _PLAIN)}
    if rule["remote_mode"] == "remote_group_id":
        return {**body, "remote_group_id": rule.get("remote_group_id") or group}
    return {**body, **some(rule, ("remote_ip_prefix",))}


def rule_key(rule: JsonMapping) -> RuleKey:
    """The same for rules that mean the same, however they are written."""
    return (
        rule.get("direction"),
        rule.get("ethertype"),
        _protocol(rule),
        _number(rule.get("port_range_min")),
        _number(rule.get("port_range_max")),
        rule.get("remote_group_id") or None,
        _prefix(rule.get("remote_ip_prefix")),
        rule.get("description") or "",
    )


def _number(value: Any) -> int | None:
    return int(value) if value is not None else None


def _protocol(rule: JsonMapping) -> str | None:
    given = rule.get("protocol")
    if given in (None, "", "any"):
        return None
    number = PROTOCOLS.get(str(given).lower(), str(given))
    icmp_of_ipv6 = rule.get("ethertype") == "IPv6" and number == PROTOCOLS["icmp"]
    return PROTOCOLS["ipv6-icmp"] if icmp_of_ipv6 else number


def _prefix(value: Any) -> str | None:
    """All addresses are the same as no word about them."""
    if not value:
        return None
    try:
        network = ipaddress.ip_network(value, strict=False)
    except ValueError:
        return str(value)
    return str(network) if network.prefixlen else None
