"""Creates, changes and removes ports, for users, routers, floating IPs and the compute service."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from calor.localcloud.network.associations import dissociate_removed
from calor.localcloud.network.fixed_ips import FixedIp, allocate_addresses, release_all
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import COMPUTE, Membership, Network, Port
from calor.localcloud.network.service import NetworkService
from calor.localcloud.problems import BadRequest, Conflict

_WIRING_SECONDS = 0.01
"""How long a port takes to become active."""


def add_port(
    networking: NetworkService, network: Network, wanted: Sequence[FixedIp] | None = None, **given: Any
) -> Port:
    records = networking.records
    mac = given.pop("mac_address", None)
    if mac and records.ports.count(mac_address=mac, network_id=network.id):
        raise Conflict(f"The MAC address {mac} is in use on network {network.id}.", "MacAddressInUse")
    port = networking.new_record(Port, given, network_id=network.id, mac_address=mac or _new_mac())
    port = replace(port, fixed_ips=allocate_addresses(networking, port, wanted))
    _check_protection(port)
    records.ports.add(port)
    _join(networking, port, port.security_groups)
    if port.device_owner.startswith(COMPUTE):
        networking.backend_sync.port(port.id)
    return port


def change_port(
    networking: NetworkService, port: Port, wanted: Sequence[FixedIp] | None = None, **given: Any
) -> Port:
    """Changes a port; its addresses only if `wanted` is given."""
    records = networking.records
    mac = given.get("mac_address", port.mac_address)
    if mac != port.mac_address and records.ports.count(mac_address=mac, network_id=port.network_id):
        raise Conflict(f"The MAC address {mac} is in use on network {port.network_id}.", "MacAddressInUse")
    changed = replace(port, **given)
    if wanted is not None:
        changed = replace(changed, fixed_ips=allocate_addresses(networking, changed, wanted))
        dissociate_removed(networking, port, {fixed["ip_address"] for fixed in changed.fixed_ips})
    _check_protection(changed)
    changed = networking.save(records.ports, changed)
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
        networking.backend_sync.members_of(group)
    networking.backend_sync.port(port.id)
    if changed.device_owner.startswith("network:router"):
        networking.backend_sync.router(changed.device_id)
    return changed


def remove_port(networking: NetworkService, port: Port) -> None:
    records = networking.records
    dissociate_removed(networking, port, set())
    release_all(networking, port)
    for group in port.security_groups:
        records.memberships.remove(_membership_id(port, group))
        networking.backend_sync.members_of(group)
    records.ports.remove(port.id)
    if port.device_owner.startswith("network:router"):
        networking.backend_sync.router(port.device_id)


def _join(networking: NetworkService, port: Port, groups: Sequence[str]) -> None:
    for group in groups:
        networking.records.memberships.put(Membership(_membership_id(port, group), group, port.id))
        networking.backend_sync.members_of(group)


def _membership_id(port: Port, group: str) -> str:
    return f"{port.id} {group}"


def _check_protection(port: Port) -> None:
    """Security groups and address pairs require port security."""
    if port.port_security_enabled:
        return
    if port.security_groups:
        raise Conflict(
            f"Port {port.id} has security groups: port security cannot be disabled.",
            "PortSecurityPortHasSecurityGroup",
        )
    if port.allowed_address_pairs:
        raise Conflict(
            "Port security must be enabled in order to have allowed address pairs on a port.",
            "AddressPairAndPortSecurityRequired",
        )


def normalize_pairs(pairs: Sequence[dict[str, str]], mac: str) -> tuple[dict[str, str], ...]:
    """Allowed address pairs, for the port's own MAC address where they name none."""
    if not all("ip_address" in pair for pair in pairs):
        raise invalid("an allowed address pair requires an ip_address.")
    complete = tuple(
        {"ip_address": pair["ip_address"], "mac_address": pair.get("mac_address") or mac} for pair in pairs
    )
    if len({tuple(pair.items()) for pair in complete}) != len(complete):
        raise BadRequest(
            "The request contains duplicate allowed address pairs.", "DuplicateAddressPairInRequest"
        )
    return complete


def _new_mac() -> str:
    """Of the range that OpenStack uses; 24 random bits hardly ever meet on one network."""
    return "fa:16:3e:" + ":".join(f"{byte:02x}" for byte in secrets.token_bytes(3))


def activate_later(networking: NetworkService, port: Port) -> None:
    """Makes the port of a server active after a short time."""

    def activate() -> None:
        current = networking.records.ports.get(port.id)
        if current and current.device_id == port.device_id and current.status == "DOWN":
            networking.records.ports.put(replace(current, status="ACTIVE"))

    networking.context.background.later(_WIRING_SECONDS, activate)
