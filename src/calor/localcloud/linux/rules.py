"""nftables rules: port security and security groups of servers, address translation of routers."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface

from calor.localcloud.backend import PortPlan, RouterPlan
from calor.localcloud.linux import nftables as nft
from calor.localcloud.linux.nftables import ACCEPT, DROP, MASQUERADE, Batch, Expression
from calor.localcloud.linux.permissions import Networks, Ranges, Traffic, merged_networks, merged_traffic

log = logging.getLogger("calor.localcloud.linux")

METADATA_ADDRESS = "169.254.169.254"
RELAYS = "169.254.170.0/24"
"""The addresses at which servers reach services outside their networks, one for each host that has such services."""
GATEWAY = "gw"
"""A router's device in the external network."""

_IPV4, _ARP, _IPV6 = 0x0800, 0x0806, 0x86DD
"""Ethernet types."""
# Neighbour discovery is always permitted.
_NEIGHBOUR_MESSAGES = range(133, 138)


@dataclass(frozen=True)
class RelayedService:
    """A service that servers reach through a relay."""

    relay: str
    port: int
    address: str | None
    """The address by which servers know the service; None if they know it by a name that leads to the relay."""


MOST_TRAFFIC = 1000
"""Kinds of traffic that are permitted to one port. Each is a rule, which the kernel checks for each packet, and which
takes the holder a moment."""

MOST_CONNECTIONS = 8192
"""Tracked connections that one server may open. Their memory belongs to no control group."""


NEW_CONNECTIONS_TO_HOST = (50, 500)
"""Connections that one server may open to the metadata service and to services of the host: per second, and at once.
Each takes the cloud a moment, even if it is closed at once."""


def connection_limit_rules() -> Batch:
    """For the namespace of a server. Only connections that it opens count, so that others cannot use up its limit;
    routers and other servers track no more of them."""
    batch = Batch(fresh=True)
    batch.table("inet", "connections")
    batch.chain("inet", "connections", "out", "filter", nft.OUTPUT, -10)
    exceeded = nft.is_new() + nft.connections_exceed(MOST_CONNECTIONS)
    batch.rule("inet", "connections", "out", exceeded, DROP)
    for address in (METADATA_ADDRESS, RELAYS):
        to_host = nft.is_new() + nft.family_is(4) + nft.destination_in(address)
        batch.rule("inet", "connections", "out", to_host, nft.exceeds(*NEW_CONNECTIONS_TO_HOST), DROP)
    return batch


def port_rules(
    ports: Mapping[str, PortPlan], host_services: Sequence[RelayedService], *, fresh: bool
) -> Batch:
    """The rules of a server's namespace. `ports` are by device name."""
    batch = Batch(fresh=fresh)
    batch.table("inet", "port-security")
    batch.chain("inet", "port-security", "in", "filter", nft.INPUT, 0)
    batch.chain("inet", "port-security", "out", "filter", nft.OUTPUT, 0)
    for device, port in ports.items():
        if port.guarded:
            _add_port_security(batch, device, port)
    batch.table("ip", "host-services")
    batch.chain("ip", "host-services", "out", "nat", nft.OUTPUT, -100)
    batch.chain("ip", "host-services", "post", "nat", nft.POSTROUTING, 100)
    for service in host_services:
        if service.address is not None:
            wanted = (
                nft.destination_in(service.address)
                + nft.protocol_is(6)
                + nft.destination_port_in(service.port, service.port)
            )
            batch.rule("ip", "host-services", "out", wanted, nft.dnat_to(service.relay))
    batch.rule("ip", "host-services", "post", nft.destination_in(RELAYS), nft.is_dnat(), MASQUERADE)
    return batch


def _add_port_security(batch: Batch, device: str, port: PortPlan) -> None:
    incoming, outgoing = nft.input_device_is(device), nft.output_device_is(device)
    sources = [*(one.address for one in port.addresses), *port.further_sources]
    batch.rule("inet", "port-security", "in", incoming, nft.is_reply_or_related(), ACCEPT)
    for message in _NEIGHBOUR_MESSAGES:
        found = nft.protocol_is(58) + nft.icmp_type_is(message)
        batch.rule("inet", "port-security", "in", incoming, found, ACCEPT)
        batch.rule("inet", "port-security", "out", outgoing, found, ACCEPT)
    # Redirected packets get their source address only later.
    relays = nft.family_is(4) + nft.destination_in(RELAYS)
    batch.rule("inet", "port-security", "out", outgoing, relays, nft.is_dnat(), ACCEPT)
    for one in port.addresses:
        if ":" not in one.address:
            for always in (METADATA_ADDRESS, RELAYS):
                known = nft.family_is(4) + nft.source_in(one.address) + nft.destination_in(always)
                batch.rule("inet", "port-security", "out", outgoing, known, ACCEPT)
    batch.rule(
        "inet",
        "port-security",
        "out",
        outgoing,
        nft.family_is(4) + nft.destination_in(METADATA_ADDRESS),
        DROP,
    )
    rules = _Filter(batch, device)
    for family in (4, 6):
        foreign = nft.family_is(family)
        if own := merged_networks([each for each in sources if (":" in each) == (family == 6)]):
            foreign += nft.source_not_in_set(rules.networks(family, own), family)
        batch.rule("inet", "port-security", "out", outgoing, foreign, DROP)
    batch.rule("inet", "port-security", "out", outgoing, nft.is_reply_or_related(), ACCEPT)
    permitted = merged_traffic(port.permissions)
    if len(permitted) > MOST_TRAFFIC:
        log.warning(
            "port %s has %s different permissions: only %s apply", port.id, len(permitted), MOST_TRAFFIC
        )
    for traffic in permitted[:MOST_TRAFFIC]:
        rules.accept(traffic)
    batch.rule("inet", "port-security", "in", incoming, DROP)
    batch.rule("inet", "port-security", "out", outgoing, DROP)


def anti_spoofing_rules(cable: str, port: PortPlan, *, fresh: bool) -> Batch:
    """The rules of a network for a port, at its end of the cable: no packets with other source addresses. They hold
    whatever the rules in the namespace of the server are."""
    batch = Batch(fresh=fresh)
    batch.table("netdev", cable)
    if not port.guarded:
        return batch
    batch.chain("netdev", cable, "in", "filter", nft.INGRESS, 0, cable)
    batch.rule("netdev", cable, "in", nft.source_mac_is_not(port.mac), DROP)
    for source in [*(one.address for one in port.addresses), *port.further_sources]:
        if ":" in source:
            batch.rule("netdev", cable, "in", nft.ethertype_is(_IPV6), nft.source_in(source), ACCEPT)
        else:
            batch.rule("netdev", cable, "in", nft.ethertype_is(_IPV4), nft.source_in(source), ACCEPT)
            asks = nft.ethertype_is(_ARP) + nft.arp_sender_mac_is(port.mac) + nft.arp_sender_in(source)
            batch.rule("netdev", cable, "in", asks, ACCEPT)
    # Neighbour discovery uses these.
    for source in ("fe80::/10", "::/128"):
        batch.rule("netdev", cable, "in", nft.ethertype_is(_IPV6), nft.source_in(source), ACCEPT)
    batch.rule("netdev", cable, "in", DROP)
    return batch


def remove_anti_spoofing_rules(cable: str) -> Batch:
    batch = Batch(fresh=True)
    batch.delete_table("netdev", cable)
    return batch


class _Filter:
    """Adds the rules of one device to the table of a server's ports. Addresses and ports are in sets, so that there are
    as few rules as different kinds of traffic, however many members a remote security group has."""

    def __init__(self, batch: Batch, device: str) -> None:
        self._batch = batch
        self._device = device
        self._sets: dict[tuple[int, Networks], str] = {}
        self._port_sets = 0

    def accept(self, one: Traffic) -> None:
        found = nft.family_is(one.family)
        if one.remotes is not None and len(one.remotes) == 1:
            is_in = nft.source_in if one.direction == "ingress" else nft.destination_in
            found += is_in(str(one.remotes[0]))
        elif one.remotes is not None:
            name = self.networks(one.family, one.remotes)
            is_remote = nft.source_in_set if one.direction == "ingress" else nft.destination_in_set
            found += is_remote(name, one.family)
        if one.protocol is not None:
            found += nft.protocol_is(one.protocol)
        if one.icmp is not None:
            found += nft.icmp_type_is(*one.icmp)
        if one.ports is not None:
            found += self._ports(one.ports)
        device = nft.input_device_is if one.direction == "ingress" else nft.output_device_is
        chain = "in" if one.direction == "ingress" else "out"
        self._batch.rule("inet", "port-security", chain, device(self._device), found, ACCEPT)

    def networks(self, family: int, networks: Networks) -> str:
        """The name of a set."""
        known = self._sets.get((family, networks))
        if known is None:
            known = self._sets[family, networks] = f"{self._device}-networks{len(self._sets)}"
            self._batch.networks("inet", "port-security", known, family, networks)
        return known

    def _ports(self, ranges: Ranges) -> Expression:
        if len(ranges) == 1:
            return nft.destination_port_in(*ranges[0])
        name = f"{self._device}-ports{self._port_sets}"
        self._port_sets += 1
        self._batch.ports("inet", "port-security", name, ranges)
        return nft.destination_port_in_set(name)


def nat_rules(plan: RouterPlan, hides_outside: str | None, *, fresh: bool) -> Batch:
    """The rules of a router. Connections from the range `hides_outside` are masqueraded: servers could not reply to
    it."""
    batch = Batch(fresh=fresh)
    batch.table("ip", "router")
    batch.chain("ip", "router", "pre", "nat", nft.PREROUTING, -100)
    batch.chain("ip", "router", "post", "nat", nft.POSTROUTING, 100)
    for floating, fixed in plan.floating:
        batch.rule("ip", "router", "pre", nft.destination_in(floating), nft.dnat_to(fixed))
        batch.rule(
            "ip", "router", "post", nft.output_device_is(GATEWAY), nft.source_in(fixed), nft.snat_to(floating)
        )
    for leg in plan.legs:
        inside = str(ip_interface(f"{leg.address}/{leg.prefix}").network)
        if ":" not in inside:
            # Without it, a neighbour reached by its floating address would reply directly.
            batch.rule(
                *("ip", "router", "post", nft.output_device_is_not(GATEWAY), nft.source_in(inside)),
                *(nft.is_dnat(), MASQUERADE),
            )
    if hides_outside is not None:
        batch.rule(
            "ip",
            "router",
            "post",
            nft.output_device_is_not(GATEWAY),
            nft.source_in(hides_outside),
            MASQUERADE,
        )
    if plan.gateway is not None and plan.masquerades:
        batch.rule("ip", "router", "post", nft.output_device_is(GATEWAY), MASQUERADE)
        # Others in the external network may have a route to addresses that are hidden from there.
        batch.chain("ip", "router", "through", "filter", nft.FORWARD, 0)
        inwards = nft.input_device_is(GATEWAY) + nft.output_device_is_not(GATEWAY)
        for permitted in (nft.is_reply_or_related(), nft.is_dnat()):
            batch.rule("ip", "router", "through", inwards, permitted, ACCEPT)
        batch.rule("ip", "router", "through", inwards, DROP)
    return batch


def host_only_rules(inside: str, outside: str) -> Batch:
    """The host may open connections to servers, but not the other way round."""
    batch = Batch(fresh=True)
    batch.table("inet", "host")
    batch.chain("inet", "host", "through", "filter", nft.FORWARD, 0)
    batch.rule("inet", "host", "through", nft.is_reply_or_related(), ACCEPT)
    batch.rule("inet", "host", "through", nft.input_device_is(outside), nft.output_device_is(inside), ACCEPT)
    batch.rule("inet", "host", "through", nft.output_device_is(outside), DROP)
    batch.rule("inet", "host", "through", nft.input_device_is(outside), DROP)
    return batch
