"""Which rules of a security group have to go, and which to come, and how that is done."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.clouds.services import unwrapped
from calor.types.behaviour import CloudServices
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

Likeness = tuple[Any, ...]
_PLAIN = ("direction", "ethertype", "port_range_min", "port_range_max", "protocol", "description")

LET_OUT: tuple[Mapping[str, Any], ...] = (
    {"direction": "egress", "ethertype": "IPv4"},
    {"direction": "egress", "ethertype": "IPv6"},
)
"""The rules of every new group, which hold as long as none of the listed rules is about egress."""


async def set_rules(
    cloud: CloudServices,
    group: str,
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    present: Sequence[Mapping[str, Any]] | None = None,
) -> list[Object]:
    """Rules that nobody has listed here, such as those declared apart, stay. The rules that the group has then;
    `present` are those that it has now, where they are known."""
    if present is None:
        present = await cloud.all(
            "network", "security-group-rules", key="security_group_rules", params={"security_group_id": group}
        )
    surplus, missing = changes(group, present, before, after)
    for id in surplus:
        with suppress(NotFound):
            await cloud.ask("network", "DELETE", "security-group-rules", id)
    made = []
    for rule in missing:
        body = {"security_group_rule": rule}
        # The service knows more ways than one to write the same rule.
        with suppress(Conflict):
            made.append(unwrapped(await cloud.ask("network", "POST", "security-group-rules", body=body)))
    return [*(dict(rule) for rule in present if rule["id"] not in surplus), *made]


def changes(
    group: str,
    present: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
) -> tuple[list[str], list[Object]]:
    """The ids of rules to delete and the requests for new ones, when other rules are listed than before. `present`
    are the rules that the group has by now."""
    listed = [requested(group, rule) for rule in after]
    if all(rule["direction"] != "egress" for rule in listed):
        listed += [{"security_group_id": group, **rule} for rule in LET_OUT]
    wanted = {likeness(rule): rule for rule in listed}
    once = [*(requested(group, rule) for rule in before), *LET_OUT]
    unwanted = {likeness(rule) for rule in once} - wanted.keys()
    surplus = [str(rule["id"]) for rule in present if likeness(rule) in unwanted]
    there = {likeness(rule) for rule in present}
    return surplus, [rule for alike, rule in wanted.items() if alike not in there]


def requested(group: str, rule: Mapping[str, Any]) -> Object:
    """A rule of a template as the service takes it."""
    body = {"security_group_id": group, **some(rule, _PLAIN)}
    if rule["remote_mode"] == "remote_group_id":
        return {**body, "remote_group_id": rule.get("remote_group_id") or group}
    return {**body, **some(rule, ("remote_ip_prefix",))}


def likeness(rule: Mapping[str, Any]) -> Likeness:
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


def _protocol(rule: Mapping[str, Any]) -> str | None:
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
