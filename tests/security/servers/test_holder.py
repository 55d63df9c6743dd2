"""What holds all servers: no server can end it, nor keep it from the others."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from calor.localcloud.backend import Address, BackendError, Leg, RouterPlan
from calor.localcloud.config import HostService
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.event_loop import EventLoop
from calor.localcloud.linux.launching import EXITED_EARLY, Launching
from calor.localcloud.linux.state import reboot_delay
from tests.support.linux import Machine, eventually


def test_a_server_killed_during_the_start_has_failed() -> None:
    ours, theirs = socket.socketpair()
    launching = Launching(os.getpid(), ours, Ids(0, 1))
    ours.sendall(b"yes")
    theirs.close()
    assert launching.outcome() == EXITED_EARLY
    ours.close()


def test_a_failing_callback_does_not_affect_others() -> None:
    loop = EventLoop()
    done = []

    def fail() -> None:
        raise ConnectionResetError

    for callback in (fail, lambda: done.append(True), fail):
        ours, theirs = socket.socketpair()
        theirs.sendall(b"something")
        theirs.detach()
        loop.add_reader(ours.detach(), callback)
    loop.run_once(0)
    assert done == [True]


def test_the_delay_of_reboots_increases() -> None:
    delays = [0.0]
    for _ in range(10):
        delays.append(reboot_delay(delays[-1], delays[-1] + 0.02))
    assert all(before < after or after == 8.0 for before, after in pairwise(delays))
    assert delays[-1] == 8.0
    assert reboot_delay(8.0, 8.0 + 60.0) == 0.0


def test_boot_loops_are_slowed_down(machine: Machine) -> None:
    for id in ("one", "other"):
        machine.boot(id)
        machine.finished(id)
    holder = machine.holder()
    shell = machine.out("one", "readlink -f /bin/sh").strip()
    began = time.monotonic()
    machine.run(
        "one",
        f"cp {shell} /kept && printf '#!/kept\\necho again\\nexit 87\\n' >/new && chmod 755 /new"
        f" && mv /new {shell} && kill -USR1 1",
    )
    eventually(lambda: machine.console("one").count("again") >= 4, lambda: machine.console("one"))
    assert time.monotonic() - began >= 0.25 + 0.5 + 1.0 + 2.0
    assert machine.do(machine.linux.running()) == {"one", "other"}
    machine.do(machine.linux.destroy("one"))
    assert machine.do(machine.linux.running()) == {"other"}
    assert machine.holder() == holder
    assert machine.out("other", "echo here") == "here\n"
    assert machine.died == []


@pytest.fixture
def beside(machine: Machine) -> Machine:
    """A server, and beside it another one and a router that are to have an address that nobody can have."""
    machine.network()
    for last, id in ((11, "one"), (12, "other")):
        machine.boot(id, machine.port(f"10.0.0.{last}"))
        machine.finished(id)
    port = machine.port("10.0.0.12")
    impossible = Address("ff00::3", 8)
    with pytest.raises(BackendError):
        machine.do(machine.linux.set_port(replace(port, addresses=(*port.addresses, impossible))))
    leg = Leg("leg", "net", "fa:16:3e:00:01:01", impossible.address, impossible.prefix)
    with pytest.raises(BackendError):
        machine.do(machine.linux.set_router(RouterPlan("router", (leg,))))
    return machine


def test_servers_start_again_beside_what_cannot_be_made_again(beside: Machine) -> None:
    beside.kill_holder()
    eventually(lambda: beside.console("one").count(" login: ") == 2, lambda: beside.console("one"))
    eventually(lambda: beside.died == ["other"], lambda: f"{beside.died}")
    assert beside.do(beside.linux.running()) == {"one"}


def test_servers_learn_of_new_services_beside_one_that_cannot_be_reached(beside: Machine) -> None:
    beside.host_services = (HostService("calor.example", 80, ("127.0.0.1", 1)),)
    beside.restart()
    assert beside.do(beside.linux.running()) == {"one", "other"}
    assert beside.out("one", "echo here") == "here\n"
