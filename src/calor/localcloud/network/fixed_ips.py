"""Allocates the fixed IPs of ports."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network.addresses import AUTOMATIC, automatic_address, is_usable
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import Port, Subnet, by_id
from calor.localcloud.network.service import NetworkService
from calor.localcloud.problems import BadRequest, Conflict

FixedIp = dict[str, str]

_MOST = 5
"""The maximum number of fixed IPs of a port."""


def is_automatic(subnet: Subnet) -> bool:
    return subnet.ipv6_address_mode in AUTOMATIC


def allocate_addresses(
    networking: NetworkService, port: Port, wanted: Sequence[FixedIp] | None
) -> tuple[FixedIp, ...]:
    """Takes the addresses that are wanted for a port, keeps those it has of them and gives back the others. Without a
    wish, a new port gets one of each version. Those that ports make themselves need not be wished for."""
    subnets = networking.records.subnets.find(network_id=port.network_id)
    if wanted is None:
        return _usual_addresses(networking, port, subnets)
    if len(wanted) > _MOST:
        raise invalid(f"a port can have at most {_MOST} fixed IPs.")
    kept, missing_ones = _sorted_out(port, subnets, wanted)
    own = [each for each in _automatic(port, subnets) if each not in kept]
    if wanted and not port.fixed_ips:
        named = {subnet.id for subnet, _ in missing_ones}
        implied = [each for each in _automatic_subnets_of(port, subnets) if each.id not in named]
        missing_ones += [(subnet, None) for subnet in implied]
    for fixed in port.fixed_ips:
        if fixed not in kept and fixed not in own:
            networking.ipam.release(fixed["subnet_id"], fixed["ip_address"])
    taken = [_taken(networking, port, subnet, address) for subnet, address in missing_ones]
    return (*kept, *taken, *own)


def release_all(networking: NetworkService, port: Port) -> None:
    for fixed in port.fixed_ips:
        networking.ipam.release(fixed["subnet_id"], fixed["ip_address"])


def add_automatic_addresses(networking: NetworkService, subnet: Subnet) -> None:
    """Adds automatic addresses of a new subnet to existing ports."""
    if not is_automatic(subnet):
        return
    records = networking.records
    for port in records.ports.find(network_id=subnet.network_id):
        if not port.device_owner.startswith("network:"):
            fixed = _taken(networking, port, subnet, None)
            networking.save(records.ports, port, fixed_ips=(*port.fixed_ips, fixed))


def drop_automatic_addresses(networking: NetworkService, subnet: Subnet) -> None:
    """Removes automatic addresses of a subnet that is being deleted."""
    if not is_automatic(subnet):
        return
    records = networking.records
    holders = {each.port_id for each in records.allocations.find(subnet_id=subnet.id)}
    for port in by_id(records.ports, holders).values():
        if port.device_owner.startswith("network:"):
            continue
        others = tuple(fixed for fixed in port.fixed_ips if fixed["subnet_id"] != subnet.id)
        for fixed in port.fixed_ips:
            if fixed not in others:
                networking.ipam.release(subnet.id, fixed["ip_address"])
        networking.save(records.ports, port, fixed_ips=others)


def _usual_addresses(
    networking: NetworkService, port: Port, subnets: Sequence[Subnet]
) -> tuple[FixedIp, ...]:
    routes = port.device_owner.startswith("network:router")
    fitting = _fitting(port, subnets)
    found: list[FixedIp] = []
    for version in (4, 6):
        choices = [each for each in fitting if each.ip_version == version and not is_automatic(each)]
        if choices:
            found.append(_first_free(networking, port, choices))
    automatic = [each for each in fitting if is_automatic(each) and not routes]
    return (*found, *(_taken(networking, port, subnet, None) for subnet in automatic))


def _automatic_subnets_of(port: Port, subnets: Sequence[Subnet]) -> list[Subnet]:
    """The subnets of which ports get automatic addresses."""
    if port.device_owner.startswith("network:"):
        return []
    return [each for each in _fitting(port, subnets) if is_automatic(each)]


def _automatic(port: Port, subnets: Sequence[Subnet]) -> list[FixedIp]:
    create_record = {each.id for each in _automatic_subnets_of(port, subnets)}
    return [fixed for fixed in port.fixed_ips if fixed["subnet_id"] in create_record]


def _fitting(port: Port, subnets: Sequence[Subnet]) -> list[Subnet]:
    return [each for each in subnets if not each.service_types or port.device_owner in each.service_types]


def _first_free(networking: NetworkService, port: Port, subnets: Sequence[Subnet]) -> FixedIp:
    for subnet in subnets:
        if address := networking.ipam.take_next(subnet, port.id):
            return _fixed_ip(subnet, address)
    raise Conflict(
        f"No more IP addresses available on network {port.network_id}.", "IpAddressGenerationFailure"
    )


def _sorted_out(
    port: Port, subnets: Sequence[Subnet], wanted: Sequence[FixedIp]
) -> tuple[list[FixedIp], list[tuple[Subnet, str | None]]]:
    """Separates requested addresses that the port already has from new ones."""
    left = list(port.fixed_ips)
    kept: list[FixedIp] = []
    lacking: list[tuple[Subnet, str | None]] = []
    # Requests for specific addresses first, so that requests for any address do not use them up.
    for wish in sorted(wanted, key=lambda each: "ip_address" not in each):
        address = wish.get("ip_address")
        subnet = _subnet_of(port, subnets, wish.get("subnet_id"), address)
        match = next(
            (
                each
                for each in left
                if each["subnet_id"] == subnet.id and address in (None, each["ip_address"])
            ),
            None,
        )
        if match is None:
            lacking.append((subnet, address))
        else:
            left.remove(match)
            kept.append(match)
    return kept, lacking


def _subnet_of(port: Port, subnets: Sequence[Subnet], subnet_id: str | None, address: str | None) -> Subnet:
    if subnet_id is not None:
        subnet = next((each for each in subnets if each.id == subnet_id), None)
        if subnet is None:
            raise invalid(f"subnet {subnet_id} is not on network {port.network_id}.")
        if address is not None and not is_usable(subnet.cidr, address):
            raise BadRequest(f"{address} is not a valid address of subnet {subnet.id}.", "InvalidIpForSubnet")
        return subnet
    if address is None:
        raise invalid("a fixed IP requires a subnet_id or an ip_address.")
    subnet = next((each for each in subnets if is_usable(each.cidr, address)), None)
    if subnet is None:
        raise BadRequest(
            f"{address} is not a valid address of any subnet of network {port.network_id}.",
            "InvalidIpForNetwork",
        )
    return subnet


def _taken(networking: NetworkService, port: Port, subnet: Subnet, address: str | None) -> FixedIp:
    if is_automatic(subnet) and not port.device_owner.startswith("network:router"):
        own = automatic_address(subnet.cidr, port.mac_address)
        if address not in (None, own):
            raise invalid(f"addresses of subnet {subnet.id} are assigned automatically.")
        return _fixed_ip(subnet, networking.ipam.take(subnet, own, port.id))
    if address is None:
        return _first_free(networking, port, [subnet])
    return _fixed_ip(subnet, networking.ipam.take(subnet, address, port.id))


def _fixed_ip(subnet: Subnet, address: str) -> FixedIp:
    return {"subnet_id": subnet.id, "ip_address": address}
