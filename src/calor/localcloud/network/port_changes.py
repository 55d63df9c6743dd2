"""Ports made, changed and removed, whoever asks for it: a user, a router, a floating ip, the compute service."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from calor.localcloud.network.associations import let_go
from calor.localcloud.network.documents import COMPUTE, Membership, Network, Port
from calor.localcloud.network.fixed_ips import FixedIp, give_back_all, settle_addresses
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.state import Networking
from calor.localcloud.problems import BadRequest, Conflict


def add_port(
    networking: Networking, network: Network, wanted: Sequence[FixedIp] | None = None, **given: Any
) -> Port:
    records = networking.records
    mac = given.pop("mac_address", None)
    if mac and records.ports.count(mac_address=mac, network_id=network.id):
        raise Conflict(f"The MAC address {mac} is in use on network {network.id}.", "MacAddressInUse")
    port = networking.made(Port, given, network_id=network.id, mac_address=mac or _new_mac())
    port = replace(port, fixed_ips=settle_addresses(networking, port, wanted))
    _check_protection(port)
    records.ports.add(port)
    _join(networking, port, port.security_groups)
    if port.device_owner.startswith(COMPUTE):
        networking.wiring.port(port.id)
    return port


def change_port(
    networking: Networking, port: Port, wanted: Sequence[FixedIp] | None = None, **given: Any
) -> Port:
    """Other addresses only where some are wanted."""
    records = networking.records
    mac = given.get("mac_address", port.mac_address)
    if mac != port.mac_address and records.ports.count(mac_address=mac, network_id=port.network_id):
        raise Conflict(f"The MAC address {mac} is in use on network {port.network_id}.", "MacAddressInUse")
    changed = replace(port, **given)
    if wanted is not None:
        changed = replace(changed, fixed_ips=settle_addresses(networking, changed, wanted))
        let_go(networking, port, {fixed["ip_address"] for fixed in changed.fixed_ips})
    _check_protection(changed)
    changed = networking.keep(records.ports, changed)
    left = [group for group in port.security_groups if group not in changed.security_groups]
    joined = [group for group in changed.security_groups if group not in port.security_groups]
    for group in left:
        records.memberships.remove(_membership_id(port, group))
    _join(networking, port, joined)
    moved = (
        set(left)
        if changed.fixed_ips == port.fixed_ips
        else {*left, *port.security_groups, *changed.security_groups}
    )
    for group in moved:
        networking.wiring.members_of(group)
    networking.wiring.port(port.id)
    if changed.device_owner.startswith("network:router"):
        networking.wiring.router(changed.device_id)
    return changed


def remove_port(networking: Networking, port: Port) -> None:
    records = networking.records
    let_go(networking, port, set())
    give_back_all(networking, port)
    for group in port.security_groups:
        records.memberships.remove(_membership_id(port, group))
        networking.wiring.members_of(group)
    records.ports.remove(port.id)
    if port.device_owner.startswith("network:router"):
        networking.wiring.router(port.device_id)


def _join(networking: Networking, port: Port, groups: Sequence[str]) -> None:
    for group in groups:
        networking.records.memberships.put(Membership(_membership_id(port, group), group, port.id))
        networking.wiring.members_of(group)


def _membership_id(port: Port, group: str) -> str:
    return f"{port.id} {group}"


def _check_protection(port: Port) -> None:
    """Groups and address pairs say what a guarded port lets pass: others cannot have them."""
    if port.port_security_enabled:
        return
    if port.security_groups:
        raise Conflict(
            f"Port {port.id} has security groups: its port security must be on.",
            "PortSecurityPortHasSecurityGroup",
        )
    if port.allowed_address_pairs:
        raise Conflict("Allowed address pairs need port security.", "AddressPairAndPortSecurityRequired")


def paired(pairs: Sequence[dict[str, str]], mac: str) -> tuple[dict[str, str], ...]:
    """Allowed address pairs, for the port's own MAC address where they name none."""
    if not all("ip_address" in pair for pair in pairs):
        raise invalid("an allowed address pair needs an ip_address.")
    complete = tuple(
        {"ip_address": pair["ip_address"], "mac_address": pair.get("mac_address") or mac} for pair in pairs
    )
    if len({tuple(pair.items()) for pair in complete}) != len(complete):
        raise BadRequest("An allowed address pair is given twice.", "DuplicateAddressPairInRequest")
    return complete


def _new_mac() -> str:
    """Of the range that OpenStack uses; 24 random bits hardly ever meet on one network."""
    return "fa:16:3e:" + ":".join(f"{byte:02x}" for byte in secrets.token_bytes(3))
