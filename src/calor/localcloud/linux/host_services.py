"""Relay addresses by which servers reach services of the host, whatever names or addresses these have."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network

from calor.localcloud.config import HostService
from calor.localcloud.linux.rules import RELAYS, RelayedService

ServiceRelays = Mapping[RelayedService, HostService]


def assign_relays(host_services: Sequence[HostService]) -> ServiceRelays:
    """Each host gets its own relay address, since several may use the same port. The addresses are derived from the
    host names: running servers keep the ones in the /etc/hosts that they booted with."""
    relays: dict[str, str] = {}
    # Many servers have no IPv6 address.
    found = [service for service in host_services if ":" not in service.host]
    for host in sorted({service.host for service in found}):
        relays[host] = _relay(host, set(relays.values()))
    return {
        RelayedService(relays[service.host], service.port, _address(service.host)): service
        for service in found
    }


def host_names(host_services: ServiceRelays) -> dict[str, str]:
    """The relay addresses of hosts that servers know by name."""
    return {service.host: relay.relay for relay, service in host_services.items() if relay.address is None}


def _relay(host: str, taken: set[str]) -> str:
    free = [one for each in IPv4Network(RELAYS).hosts() if (one := str(each)) not in taken]
    return free[int.from_bytes(hashlib.sha256(host.encode()).digest()[:8]) % len(free)]


def _address(host: str) -> str | None:
    """The address of a host that servers do not look up in /etc/hosts: `localhost` is the server itself."""
    if host == "localhost":
        return "127.0.0.1"
    try:
        return str(IPv4Address(host))
    except ValueError:
        return None
