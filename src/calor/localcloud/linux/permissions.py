"""Reduces the permissions of a port to few kinds of traffic, each with all its ports and remote networks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network

from calor.localcloud.backend import Permission

Networks = tuple[IPv4Network | IPv6Network, ...]
Ranges = tuple[tuple[int, int], ...]

_PROTOCOLS = {
    "icmp": 1,
    "tcp": 6,
    "udp": 17,
    "gre": 47,
    "esp": 50,
    "ah": 51,
    "icmpv6": 58,
    "ipv6-icmp": 58,
    "igmp": 2,
    "ipip": 4,
    "egp": 8,
    "dccp": 33,
    "rsvp": 46,
    "ospf": 89,
    "pgm": 113,
    "vrrp": 112,
    "sctp": 132,
    "udplite": 136,
    "ipv6-encap": 41,
    "ipv6-route": 43,
    "ipv6-frag": 44,
    "ipv6-nonxt": 59,
    "ipv6-opts": 60,
}
_ICMP = (1, 58)
_WITH_PORTS = (6, 17, 33, 132, 136)


@dataclass(frozen=True)
class Traffic:
    """None means any."""

    direction: str
    family: int
    protocol: int | None
    icmp: tuple[int, int] | None
    """A type and a code, where -1 is any."""
    ports: Ranges | None
    remotes: Networks | None


def merged_traffic(permissions: Iterable[Permission]) -> list[Traffic]:
    """What the permissions allow together, without duplicates. Permissions that differ only in their remotes, or only
    in their ports, become one."""
    remotes: dict[tuple[str, int, int | None, tuple[int, int] | None], set[str] | None] = {}
    for one in permissions:
        protocol = _number(one)
        with_details = protocol in _ICMP or protocol in _WITH_PORTS
        key = (one.direction, one.family, protocol, one.ports if with_details else None)
        known = remotes.setdefault(key, set())
        if known is not None:
            remotes[key] = None if one.remotes is None else known | set(one.remotes)
    merged = cache(merged_networks)
    details: dict[tuple[str, int, int | None, Networks | None, bool], list[tuple[int, int] | None]] = {}
    for (direction, family, protocol, detail), addresses in remotes.items():
        networks = None if addresses is None else merged(frozenset(addresses))
        if networks != ():
            whole = (direction, family, protocol, networks, protocol in _ICMP)
            details.setdefault(whole, []).append(detail)
    found = []
    for (direction, family, protocol, networks, is_icmp), several in details.items():
        if is_icmp:
            # There are few types in use.
            types = [None] if None in several else several
            found += [Traffic(direction, family, protocol, each, None, networks) for each in types]
        else:
            found.append(Traffic(direction, family, protocol, None, _merged_ranges(several), networks))
    return found


def merged_networks(written: Iterable[str]) -> Networks:
    """The same networks, in order and without overlaps. All are of one family."""
    return tuple(collapse_addresses(ip_network(one, strict=False) for one in written))  # type: ignore[type-var]


def _merged_ranges(ranges: Iterable[tuple[int, int] | None]) -> Ranges | None:
    """The same ports, in order and without ranges that overlap or touch; None if one of the ranges is None."""
    merged: list[tuple[int, int]] = []
    known = list(ranges)
    if None in known:
        return None
    for first, last in sorted(one for one in known if one is not None):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _number(permission: Permission) -> int | None:
    name = permission.protocol
    if name is None or name == "any":
        return None
    if name == "icmp" and permission.family == 6:
        return 58
    return _PROTOCOLS.get(name) or int(name)
