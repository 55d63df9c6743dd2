"""Protects the neighbour table of the kernel, which all namespaces share, from lookups of unused addresses.

A packet to an unused address of a network would take an entry of the table (`gc_thresh3`, often 1024 for all
namespaces together) for some seconds. So every namespace with a device in a network has a set of the addresses in use
there, and rejects other next hops before the kernel looks them up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from ipaddress import IPv6Address, ip_interface

from calor.localcloud.backend import PortPlan, RouterPlan
from calor.localcloud.linux import nftables as nft
from calor.localcloud.linux.nftables import ACCEPT, REJECT, Batch
from calor.localcloud.linux.rules import METADATA_ADDRESS

_VERSIONS = (4, 6)
_MULTICAST = {4: "224.0.0.0/4", 6: "ff00::/8"}
_BROADCAST = "255.255.255.255"


def addresses_of_network(
    network_id: str,
    ports: Iterable[PortPlan],
    routers: Iterable[RouterPlan],
    own: Iterable[str],
) -> frozenset[str]:
    """All addresses that a packet within a network can be sent to. `ports` are those of running servers; `own` are the
    addresses, with prefixes, of the network's bridge."""
    found = {_BROADCAST, METADATA_ADDRESS}
    for address in own:
        found |= _with_broadcast(address)
    for port in ports:
        if port.network_id == network_id:
            found.add(link_local(port.mac))
            for one in port.addresses:
                found |= _with_broadcast(f"{one.address}/{one.prefix}")
    for router in routers:
        for leg in [*router.legs, *([router.gateway] if router.gateway else [])]:
            if leg.network_id == network_id:
                found.add(link_local(leg.mac))
                found |= _with_broadcast(f"{leg.address}/{leg.prefix}")
        if router.gateway is not None and router.gateway.network_id == network_id:
            found |= {floating for floating, _ in router.floating}
    return frozenset(found)


def _with_broadcast(address: str) -> set[str]:
    interface = ip_interface(address)
    if interface.version == 6:
        return {str(interface.ip)}
    return {str(interface.ip), str(interface.network.broadcast_address)}


def link_local(mac: str) -> str:
    """The IPv6 address that the kernel gives a device."""
    first, *others = bytes.fromhex(mac.replace(":", ""))
    host = bytes([first ^ 2, *others[:2], 0xFF, 0xFE, *others[2:]])
    return str(IPv6Address(b"\xfe\x80" + bytes(6) + host))


def allow_next_hops(device: str, known: Collection[str], *, bridge_mac: str | None = None) -> Batch:
    """The rules of a namespace for one of its devices. `bridge_mac` is for a bridge: frames that it forwards between
    its ports are exempt."""
    batch = Batch(fresh=True)
    table = _table(device)
    batch.table("inet", table)
    for version in _VERSIONS:
        batch.addresses("inet", table, f"known{version}", version)
    for chain, hook in (("out", nft.OUTPUT), ("through", nft.FORWARD)):
        batch.chain("inet", table, chain, "filter", hook, 10)
        leaves = nft.output_device_is(device)
        if bridge_mac is not None and hook == nft.FORWARD:
            leaves += nft.input_device_is(device) + nft.destination_mac_is(bridge_mac)
        for version in _VERSIONS:
            sent = leaves + nft.family_is(version)
            batch.rule("inet", table, chain, sent, nft.next_hop_in(f"known{version}", version), ACCEPT)
            batch.rule("inet", table, chain, sent, nft.destination_in(_MULTICAST[version]), ACCEPT)
            batch.rule("inet", table, chain, sent, REJECT)
    _change(batch, table, known, ())
    return batch


def change_next_hops(device: str, added: Collection[str], removed: Collection[str]) -> Batch:
    batch = Batch()
    _change(batch, _table(device), added, removed)
    return batch


def remove_next_hops(device: str) -> Batch:
    """Removes the rules of a device."""
    batch = Batch()
    batch.delete_table("inet", _table(device))
    return batch


def _change(batch: Batch, table: str, added: Collection[str], removed: Collection[str]) -> None:
    for version in _VERSIONS:
        name = f"known{version}"
        batch.add_to("inet", table, name, [one for one in added if _version(one) == version])
        batch.remove_from("inet", table, name, [one for one in removed if _version(one) == version])


def _version(address: str) -> int:
    return 6 if ":" in address else 4


def _table(device: str) -> str:
    return f"neighbours-{device}"
