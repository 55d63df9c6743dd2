"""Implied dependencies: the objects that make a network usable are created before those that use it.

No property of a port names the subnets it may get an address from, and none of a floating IP the router it is
reached through, so these are found by comparing the networks and routers that resources name. Networks
not known yet are taken to be the same one.
"""

from collections.abc import Iterator

from calor.language.schema import Peer, Peers
from calor.resources.values import JsonMapping


def subnets(peers: Peers, network: object) -> Iterator[str]:
    for subnet in peers.having("OS::Neutron::Subnet", "network", network):
        yield subnet.name


def interfaces_of(peers: Peers, router: object) -> Iterator[str]:
    for interface in peers.having("OS::Neutron::RouterInterface", "router", router):
        yield interface.name


def interfaces_to(peers: Peers, subnet: object) -> Iterator[str]:
    for interface in peers.having("OS::Neutron::RouterInterface", "subnet", subnet):
        yield interface.name


def find_port(peers: Peers, name: object) -> Peer | None:
    found = peers.named(name) if name else None
    return found if found is not None and found.type_name == "OS::Neutron::Port" else None


def subnets_of_port(port: Peer) -> list[object]:
    """The subnet of each fixed address that the port asks for, None where it leaves the choice open."""
    addresses: list[JsonMapping | None] = port.value("fixed_ips") or []
    return [(address or {}).get("subnet") or None for address in addresses]


def first_address_dependencies(peers: Peers, port_name: object) -> Iterator[str]:
    """The interfaces that join a router to the subnet of the first fixed address of a port."""
    target = find_port(peers, port_name)
    for subnet in subnets_of_port(target)[:1] if target else ():
        yield from interfaces_to(peers, subnet)
