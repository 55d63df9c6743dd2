"""What a server can do to others in a network that several projects share: neither be taken for them, nor hear them."""

from __future__ import annotations

import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from calor.localcloud.backend import Leg, Permission, RouterPlan
from tests.support.linux import EVERYTHING_OUT, Machine

_VICTIM = "10.0.0.11"
_OPEN = (*EVERYTHING_OUT, Permission("ingress", 4))


@pytest.fixture
def shared(machine: Machine) -> Machine:
    """A network in which a server has, by a network of its own with the same range, the address of another."""
    machine.network("shared")
    machine.network("own")
    machine.boot("victim", machine.port(_VICTIM, "shared"))
    taken = replace(machine.port(_VICTIM, "own", _OPEN), mac="fa:16:3e:00:00:99")
    machine.boot("thief", machine.port("10.0.0.66", "shared", _OPEN), taken)
    machine.boot("peer", machine.port("10.0.0.12", "shared"))
    for id in ("victim", "thief", "peer"):
        machine.finished(id)
    return machine


def test_metadata_of_other_servers_is_inaccessible(shared: Machine) -> None:
    said = shared.run("thief", f"curl -s -m 3 --interface {_VICTIM} http://169.254.169.254/")
    assert said.stdout == ""
    assert shared.asked == []
    assert shared.out("thief", "curl -s -m 5 http://169.254.169.254/") == "shared 10.0.0.66"
    assert shared.out("victim", "curl -s -m 5 http://169.254.169.254/") == f"shared {_VICTIM}"


def test_packets_do_not_go_to_the_same_address_in_another_network(
    shared: Machine,
) -> None:
    shared.do(shared.linux.halt("victim"))
    assert shared.run("peer", f"ping -c 1 -W 2 {_VICTIM}").returncode != 0
    assert "fa:16:3e:00:00:42" not in _neighbours(shared).get(_VICTIM, "")


def test_arp_uses_only_addresses_of_the_network(shared: Machine) -> None:
    """Whoever knows that address already would believe that it has moved."""
    shared.out("peer", f"ping -c 1 -W 5 {_VICTIM}")
    asking = (
        "import socket, time\n"
        "time.sleep(1.5)\n"
        "made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        f"made.bind(({_VICTIM!r}, 0))\n"
        "made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'eth0')\n"
        "for target in ('10.0.0.12', '10.0.0.77', '169.254.170.77'):\n"
        "    try:\n"
        "        made.sendto(b'from another', (target, 80))\n"
        "    except PermissionError:\n"
        "        pass\n"
        "time.sleep(0.5)\n"
    )
    shared.out("thief", f"python3 - <<'END'\n{asking}\nEND")
    assert "fa:16:3e:00:00:0b" in _neighbours(shared)[_VICTIM]


def test_arp_cannot_be_spoofed(shared: Machine, as_root: None) -> None:
    """Not even if a server could send what it likes."""
    shared.out("peer", f"ping -c 1 -W 5 {_VICTIM}")
    thief, peer = bytes.fromhex("fa163e000042"), bytes.fromhex("fa163e00000c")
    lie = peer + thief + bytes.fromhex("0806 0001 0800 0604 0002") + thief + socket.inet_aton(_VICTIM)
    lie += peer + socket.inet_aton("10.0.0.12")
    sending = (
        "import os, socket, sys, time\n"
        "from calor.localcloud.linux.syscalls import NEWNET, setns\n"
        "setns(os.open(f'/proc/{sys.argv[1]}/ns/net', os.O_RDONLY), NEWNET)\n"
        "made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
        "made.bind(('eth0', 0x0806))\n"
        "time.sleep(1.5)\n"
        f"made.send({lie!r})\n"
        "time.sleep(0.5)\n"
    )
    subprocess.run([sys.executable, "-c", sending, _first_process(shared, "thief")], check=True)
    assert "fa:16:3e:00:00:0b" in _neighbours(shared)[_VICTIM]


def test_a_server_behind_a_router_is_reached_by_its_floating_address_only(machine: Machine) -> None:
    """Others in the external network can tell their router where the addresses behind it are."""
    machine.public()
    outside = machine.outside
    for last, (id, floating) in enumerate({"own": (), "other": ((f"{outside}.50", "10.0.1.5"),)}.items()):
        machine.network(id, f"10.0.{last}.0/24")
        leg = Leg(f"leg-{id}", id, f"fa:16:3e:00:01:0{last}", f"10.0.{last}.1", 24)
        gateway = Leg(f"out-{id}", "public", f"fa:16:3e:00:02:0{last}", f"{outside}.1{last}", 24)
        routes = () if floating else (("10.0.1.0/24", f"{outside}.11"),)
        plan = RouterPlan(id, (leg,), gateway, f"{outside}.1", floating=floating, routes=routes)
        machine.do(machine.linux.set_router(plan))
    machine.boot("thief", machine.port("10.0.0.5", "own"))
    machine.boot("victim", machine.port("10.0.1.5", "other", _OPEN))
    for id in ("thief", "victim"):
        machine.finished(id)
    assert machine.run("thief", f"ping -c 1 -W 5 {outside}.50").returncode == 0
    assert machine.run("thief", "ping -c 1 -W 2 10.0.1.5").returncode != 0
    assert machine.run("victim", f"ping -c 1 -W 5 {outside}.10").returncode == 0


def _first_process(machine: Machine, id: str) -> str:
    holder = machine.holder()
    for process in Path(f"/proc/{holder}/task/{holder}/children").read_text().split():
        if Path(f"/proc/{process}/root/etc/hostname").read_text().strip() == id:
            return process
    raise AssertionError(f"{id} does not run")


def _neighbours(machine: Machine) -> dict[str, str]:
    lines = machine.out("peer", "cat /proc/net/arp").splitlines()[1:]
    return {line.split()[0]: line for line in lines}
