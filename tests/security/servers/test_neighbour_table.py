"""The neighbour table is one for the whole machine; no server fills it with addresses that nobody has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calor.localcloud.backend import Address, Leg, PortPlan, RouterPlan
from tests.support.linux import PING_AND, Machine

_FLOOD = """
import socket
sockets = {4: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)}
try:
    sockets[6] = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
except OSError:
    pass
def flood(pattern, scope=0):
    version = 6 if ':' in pattern else 4
    for high in range(8):
        for low in range(1, 251):
            try:
                address = pattern.format(high + 1, low)
                sockets[version].sendto(b'x', (address, 9) if version == 4 else (address, 9, 0, scope))
            except OSError:
                pass
"""


def _port(machine: Machine, address: str, network: str, gateway: str) -> PortPlan:
    port = machine.port(address, network, PING_AND)
    return replace(port, addresses=(Address(address, 16, gateway), Address("fd00::11", 64)))


@pytest.fixture
def large(machine: Machine) -> Machine:
    """A server in a network of 65,536 addresses, which a router joins to another one of that size."""
    machine.network("near", "10.0.0.0/16")
    machine.network("far", "10.1.0.0/16")
    legs = (
        Leg("leg-near", "near", "fa:16:3e:00:01:01", "10.0.0.1", 16),
        Leg("leg-far", "far", "fa:16:3e:00:01:02", "10.1.0.1", 16),
    )
    machine.do(machine.linux.set_router(RouterPlan("router", legs)))
    machine.boot("one", _port(machine, "10.0.0.11", "near", "10.0.0.1"))
    machine.finished("one")
    return machine


def _flood(machine: Machine, *targets: str) -> None:
    calls = "\n".join(f"flood({target})" for target in targets)
    machine.out("one", f"python3 - <<'END'\n{_FLOOD}\n{calls}\nEND")


def _entries(machine: Machine) -> int:
    """How many entries the table has, in all namespaces, of both kinds."""
    found = 0
    for name in ("arp_cache", "ndisc_cache"):
        lines = Path(f"/proc/net/stat/{name}").read_text().splitlines()
        found += int(lines[1].split()[0], 16)
    return found


@pytest.mark.parametrize(
    "targets",
    [
        ("'10.0.{}.{}'",),
        ("'10.1.{}.{}'",),
        ("'fd00::{:x}:{:x}'",),
        ("'fe80::{:x}:{:x}', socket.if_nametoindex('eth0')",),
    ],
    ids=["its own network", "a network behind a router", "its own IPv6 network", "link-local addresses"],
)
def test_unused_addresses_take_no_neighbour_entries(
    large: Machine, as_root: None, targets: tuple[str, ...]
) -> None:
    before = _entries(large)
    _flood(large, *targets)
    assert _entries(large) < before + 100


def test_a_flooding_server_does_not_affect_others(large: Machine) -> None:
    large.boot("two", _port(large, "10.0.0.12", "near", "10.0.0.1"))
    large.boot("three", _port(large, "10.1.0.13", "far", "10.1.0.1"))
    large.finished("two")
    large.finished("three")
    _flood(large, "'10.0.{}.{}'", "'10.1.{}.{}'")
    large.out("two", "ping -c 1 -W 5 10.1.0.13")
    large.out("one", "ping -c 1 -W 5 10.0.0.12")
    large.out("one", "ping -c 1 -W 5 10.1.0.13")


def test_unused_addresses_are_unreachable_at_once(large: Machine) -> None:
    said = large.run("one", "curl -s -m 5 http://10.0.0.99/")
    assert said.returncode == 7


def test_a_server_is_reachable_while_it_runs(large: Machine) -> None:
    ask = "ping -c 1 -W 2 10.0.0.12"
    assert large.run("one", ask).returncode != 0
    large.boot("two", _port(large, "10.0.0.12", "near", "10.0.0.1"))
    large.finished("two")
    large.out("one", ask)
    large.do(large.linux.halt("two"))
    assert large.run("one", ask).returncode != 0


def test_an_address_added_to_a_running_server_is_reachable(large: Machine) -> None:
    port = _port(large, "10.0.0.12", "near", "10.0.0.1")
    large.boot("two", port)
    large.finished("two")
    more = replace(port, addresses=(*port.addresses, Address("10.0.7.7", 16)))
    large.do(large.linux.set_port(more))
    large.out("one", "ping -c 1 -W 5 10.0.7.7")
