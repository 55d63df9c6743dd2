"""Arithmetic of addresses and ranges. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from calor.localcloud.network.problems import invalid
from calor.localcloud.problems import BadRequest, Conflict

Range = IPv4Network | IPv6Network
Pool = dict[str, str]

AUTOMATIC = ("slaac", "dhcpv6-stateless")
"""IPv6 modes in which addresses are derived from the prefix and the MAC address."""


def to_number(address: str) -> int:
    return int(ip_address(address))


def format_address(number: int, version: int) -> str:
    """The address with a number."""
    return str(IPv4Address(number) if version == 4 else IPv6Address(number))


def automatic_address(cidr: str, mac: str) -> str:
    """The address of the modified EUI-64 form."""
    octets = [int(part, 16) for part in mac.split(":")]
    octets = [octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]]
    return format_address(int(ip_network(cidr).network_address) + int.from_bytes(bytes(octets), "big"), 6)


def is_usable(cidr: str, address: str) -> bool:
    """Whether a port may have the address: one in the range, except the network and broadcast addresses."""
    span = ip_network(cidr)
    given = ip_address(address)
    if given.version != span.version or given not in span:
        return False
    if isinstance(span, IPv4Network):
        return span.prefixlen >= 31 or given not in (span.network_address, span.broadcast_address)
    return span.prefixlen >= 127 or given != span.network_address


def first_address(cidr: str) -> str:
    span = ip_network(cidr)
    single = span.prefixlen == span.max_prefixlen
    return format_address(int(span.network_address) + (0 if single else 1), span.version)


def default_pools(cidr: str, gateway: str | None) -> tuple[Pool, ...]:
    """All usable addresses but the gateway."""
    span = ip_network(cidr)
    first, last = int(span.network_address), int(span.broadcast_address)
    if span.num_addresses > 2:
        first += 1
        last -= 1 if span.version == 4 else 0
    spans = [(first, last)]
    if gateway and ip_address(gateway) in span:
        number = to_number(gateway)
        spans = [(first, number - 1), (number + 1, last)]
    return tuple(
        {"start": format_address(start, span.version), "end": format_address(end, span.version)}
        for start, end in spans
        if max(start, first) <= min(end, last)
    )


def check_pools(cidr: str, gateway: str | None, pools: Sequence[Pool]) -> None:
    """Rejects pools that are outside of the range, overlap, or contain the gateway."""
    before = -1
    for pool in sorted(pools, key=lambda each: to_number(each["start"])):
        written = f"{pool['start']}-{pool['end']}"
        start, end = to_number(pool["start"]), to_number(pool["end"])
        versions = {ip_address(pool[side]).version for side in ("start", "end")}
        if start > end or len(versions) > 1:
            raise BadRequest(f"The allocation pool {written} is not valid.", "InvalidAllocationPool")
        if not is_usable(cidr, pool["start"]) or not is_usable(cidr, pool["end"]):
            raise BadRequest(
                f"The allocation pool {written} is not within {cidr}.", "OutOfBoundsAllocationPool"
            )
        if start <= before:
            raise Conflict(
                f"The allocation pool {written} overlaps with another.", "OverlappingAllocationPools"
            )
        if gateway and ip_address(gateway).version in versions and start <= to_number(gateway) <= end:
            raise Conflict(
                f"The gateway {gateway} is in the allocation pool {written}.",
                "GatewayConflictWithAllocationPools",
            )
        before = end


def check_gateway(cidr: str, gateway: str | None) -> None:
    span = ip_network(cidr)
    if gateway is None:
        return
    given = ip_address(gateway)
    if given.version != span.version or (given in span and not is_usable(cidr, gateway)):
        raise invalid(f"the gateway {gateway} is not valid on the subnet {cidr}.")


def find_overlap(cidr: str, others: Iterable[str]) -> str | None:
    """The first of the others that has addresses in common with the range."""
    span = ip_network(cidr)
    for other in others:
        theirs = ip_network(other)
        if theirs.version == span.version and span.overlaps(theirs):
            return other
    return None


def find_free_prefix(prefixes: Iterable[str], taken: Iterable[str], length: int) -> str | None:
    """The first range of this length within the prefixes that is free."""
    used = sorted((int(span.network_address), int(span.broadcast_address)) for span in map(ip_network, taken))
    for span in sorted(map(ip_network, prefixes), key=lambda each: int(each.network_address)):
        if length < span.prefixlen or length > span.max_prefixlen:
            continue
        size = 1 << (span.max_prefixlen - length)
        candidate = int(span.network_address)
        for start, end in used:
            if end < candidate:
                continue
            if start >= candidate + size:
                break
            candidate = -(-(end + 1) // size) * size
        if candidate + size - 1 <= int(span.broadcast_address):
            return f"{format_address(candidate, span.version)}/{length}"
    return None


def find_next_free(pools: Sequence[tuple[int, int]], taken: Collection[int], after: int) -> int | None:
    """The first free number after `after`, else the first free number of all."""
    for candidate in _from(pools, after + 1):
        if candidate not in taken:
            return candidate
    for candidate in _from(pools, 0):
        if candidate > after:
            return None
        if candidate not in taken:
            return candidate
    return None


def _from(pools: Sequence[tuple[int, int]], least: int) -> Iterator[int]:
    for start, end in pools:
        yield from range(max(start, least), end + 1)
