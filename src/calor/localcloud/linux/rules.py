"""What packets may do, told to nftables: the guards of a server's ports, the translations of a router."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface

from calor.localcloud.linux import nftables as nft
from calor.localcloud.linux.nftables import ACCEPT, DROP, MASQUERADE, Batch, Expression
from calor.localcloud.machinery import Permission, PortPlan, RouterPlan

METADATA_ADDRESS = "169.254.169.254"
GATEWAY = "gw"
"""A router's device in the external network."""

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
# Neighbours have to find each other, whatever is permitted.
_NEIGHBOUR_MESSAGES = range(133, 138)


@dataclass(frozen=True)
class Door:
    """A service of the host that servers reach at the very address at which others do."""

    address: str
    port: int


def guards(ports: Mapping[str, PortPlan], doors: Sequence[Door], *, fresh: bool) -> Batch:
    """All that a server's namespace is told, its ports by the names of their devices."""
    batch = Batch(fresh=fresh)
    batch.table("inet", "guards")
    batch.chain("inet", "guards", "in", "filter", nft.INPUT, 0)
    batch.chain("inet", "guards", "out", "filter", nft.OUTPUT, 0)
    for device, port in ports.items():
        if port.guarded:
            _guard(batch, device, port)
    batch.table("ip", "doors")
    batch.chain("ip", "doors", "out", "nat", nft.OUTPUT, -100)
    batch.chain("ip", "doors", "post", "nat", nft.POSTROUTING, 100)
    for door in doors:
        wanted = nft.goes_to(door.address) + nft.is_protocol(6) + nft.to_ports(door.port, door.port)
        batch.rule("ip", "doors", "out", wanted, nft.redirect_to(METADATA_ADDRESS))
    batch.rule("ip", "doors", "post", nft.goes_to(METADATA_ADDRESS), nft.was_redirected(), MASQUERADE)
    return batch


def _guard(batch: Batch, device: str, port: PortPlan) -> None:
    comes, leaves = nft.arrives_at(device), nft.leaves_by(device)
    own = [f"{one.address}" for one in port.addresses] + list(port.further_sources)
    batch.rule("inet", "guards", "in", comes, nft.is_answer(), ACCEPT)
    for message in _NEIGHBOUR_MESSAGES:
        found = nft.is_protocol(58) + nft.is_message(message)
        batch.rule("inet", "guards", "in", comes, found, ACCEPT)
        batch.rule("inet", "guards", "out", leaves, found, ACCEPT)
    # Redirected packets get their source only later.
    metadata = nft.is_family(4) + nft.goes_to(METADATA_ADDRESS)
    batch.rule("inet", "guards", "out", leaves, metadata, ACCEPT)
    for source in own:
        marked = nft.is_family(6 if ":" in source else 4) + nft.comes_from(source)
        batch.rule("inet", "guards", "out", leaves, marked, nft.is_answer(), ACCEPT)
        for permission in port.permissions:
            if permission.direction == "egress" and permission.family == (6 if ":" in source else 4):
                for wanted in _matches(permission, nft.goes_to):
                    batch.rule("inet", "guards", "out", leaves, marked, wanted, ACCEPT)
    for permission in port.permissions:
        if permission.direction == "ingress":
            for wanted in _matches(permission, nft.comes_from):
                batch.rule("inet", "guards", "in", comes, wanted, ACCEPT)
    batch.rule("inet", "guards", "in", comes, DROP)
    batch.rule("inet", "guards", "out", leaves, DROP)


def _matches(permission: Permission, at_other_end: Callable[[str], Expression]) -> Iterable[Expression]:
    base = nft.is_family(permission.family)
    protocol = _number(permission)
    if protocol is not None:
        base += nft.is_protocol(protocol)
        if permission.ports is not None and protocol in _ICMP:
            base += nft.is_message(*permission.ports)
        elif permission.ports is not None and protocol in _WITH_PORTS:
            base += nft.to_ports(*permission.ports)
    if permission.remotes is None:
        return [base]
    return [base + at_other_end(remote) for remote in permission.remotes]


def _number(permission: Permission) -> int | None:
    name = permission.protocol
    if name is None or name == "any":
        return None
    if name == "icmp" and permission.family == 6:
        return 58
    return _PROTOCOLS.get(name) or int(name)


def translations(plan: RouterPlan, hides_outside: str | None, *, fresh: bool) -> Batch:
    """A router's. `hides_outside` is a range whose addresses servers must not see: they could not answer."""
    batch = Batch(fresh=fresh)
    batch.table("ip", "router")
    batch.chain("ip", "router", "pre", "nat", nft.PREROUTING, -100)
    batch.chain("ip", "router", "post", "nat", nft.POSTROUTING, 100)
    for floating, fixed in plan.floating:
        batch.rule("ip", "router", "pre", nft.goes_to(floating), nft.redirect_to(fixed))
        batch.rule(
            "ip", "router", "post", nft.leaves_by(GATEWAY), nft.comes_from(fixed), nft.pretend_from(floating)
        )
    for leg in plan.legs:
        inside = str(ip_interface(f"{leg.address}/{leg.prefix}").network)
        if ":" not in inside:
            # A neighbour that is asked by its floating address would answer past the router.
            batch.rule(
                *("ip", "router", "post", nft.leaves_not_by(GATEWAY), nft.comes_from(inside)),
                *(nft.was_redirected(), MASQUERADE),
            )
    if hides_outside is not None:
        batch.rule(
            "ip", "router", "post", nft.leaves_not_by(GATEWAY), nft.comes_from(hides_outside), MASQUERADE
        )
    if plan.gateway is not None and plan.masquerades:
        batch.rule("ip", "router", "post", nft.leaves_by(GATEWAY), MASQUERADE)
    return batch


def one_way(inside: str, outside: str) -> Batch:
    """The host may begin to talk to servers, but not the other way round."""
    batch = Batch(fresh=True)
    batch.table("inet", "host")
    batch.chain("inet", "host", "through", "filter", nft.FORWARD, 0)
    batch.rule("inet", "host", "through", nft.is_answer(), ACCEPT)
    batch.rule("inet", "host", "through", nft.arrives_at(outside), nft.leaves_by(inside), ACCEPT)
    batch.rule("inet", "host", "through", nft.leaves_by(outside), DROP)
    batch.rule("inet", "host", "through", nft.arrives_at(outside), DROP)
    return batch
