"""Which addresses may be fetched from: public ones, and those that an operator allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
            *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
            *("2001::/23", "2001:db8::/32", "3fff::/20"),
        ),
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = IPv6Network("::/96")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Addresses and hosts that an operator allows in addition to public addresses."""

    networks: tuple[Network, ...] = ()
    hosts: frozenset[str] = frozenset()
    """Hosts that may have any address."""

    @classmethod
    def of(cls, entries: Iterable[str]) -> Allowed:
        """Parses networks, addresses and host names. Raises ValueError for invalid ones."""
        networks, hosts = [], set()
        for entry in (one.strip().lower() for one in entries):
            if "/" in entry or ":" in entry or entry.replace(".", "").isdigit():
                networks.append(ip_network(entry.strip("[]"), strict=False))
            elif entry:
                hosts.add(entry.rstrip("."))
        return cls(tuple(networks), frozenset(hosts))

    def permits(self, host: str, address: str) -> bool:
        """Whether a host may be contacted at one of its addresses."""
        if host.lower().rstrip(".") in self.hosts:
            return True
        found = ip_address(address.partition("%")[0])
        # If an address embeds another one, both must be allowed.
        return all(is_public(one) or self._has(one) for one in _meanings(found))

    def _has(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


PUBLIC_ONLY = Allowed()


def is_public(address: Address) -> bool:
    """Whether it is a public address, without regard to embedded ones."""
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return any(address in network for network in _TRANSLATED)
    return not any(address in network for network in _NOT_PUBLIC)


def _meanings(address: Address) -> Iterator[Address]:
    """The address, and an IPv4 address that it embeds: packets may go to either."""
    if isinstance(address, IPv4Address):
        yield address
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
        return
    yield address
    if address.sixtofour is not None:
        yield address.sixtofour
    if any(address in network for network in (*_TRANSLATED, _COMPATIBLE)):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
