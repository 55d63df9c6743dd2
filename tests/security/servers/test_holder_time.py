"""Servers that keep the holder busy, which does everything for all servers."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from calor.localcloud.backend import VolumePlan
from calor.localcloud.linux.turns import _AT_ONCE, _SHARE, Turns
from tests.support.linux import Machine, eventually


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


def test_a_busy_server_waits_and_others_do_not() -> None:
    clock = Clock()
    turns = Turns(clock)
    spent = paused = 0.0
    for _ in range(1000):
        pause = turns.take("hostile", lambda: clock.work(0.01))
        assert turns.take("other", lambda: clock.work(0.0001)) == 0.0
        spent, paused = spent + 0.01, paused + pause
        clock.work(pause)
    assert spent / (spent + paused) < _SHARE * 1.2


def test_a_server_that_is_busy_for_a_moment_does_not_wait() -> None:
    clock = Clock()
    turns = Turns(clock)
    pauses = [turns.take("server", lambda: clock.work(0.01)) for _ in range(int(_AT_ONCE / 0.01) - 1)]
    assert not any(pauses)


def seconds_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share_of_holder(machine: Machine) -> float:
    """The part of its time that the holder computes."""
    holder = machine.holder()
    assert holder is not None
    before, start = seconds_of(holder), time.monotonic()
    time.sleep(3)
    return (seconds_of(holder) - before) / (time.monotonic() - start)


def test_output_of_a_server_takes_little_of_the_holder(machine: Machine) -> None:
    machine.boot("one", script="(yes >/dev/console) & (yes no >/dev/console) &")
    console = machine.folder / "servers" / "one" / "console.log"
    eventually(lambda: console.stat().st_size > 100_000, "it says much")
    # Until it has used up what it may take at once.
    time.sleep(2)
    assert share_of_holder(machine) < 0.15
    machine.boot("two")
    machine.finished("two")


def test_requests_for_mounts_do_not_keep_other_servers_from_booting(
    machine: Machine, tmp_path: Path, as_root: None
) -> None:
    file = tmp_path / "volume"
    with file.open("wb") as opened:
        opened.truncate(64 << 20)
    machine.boot("one", volumes=(VolumePlan("volume", file, "/dev/vdb"),))
    machine.finished("one")
    asking = "while :; do echo x mount vdb /srv; echo x umount /srv; done >/run/volumes/requests"
    machine.out("one", f"({asking}) >/dev/null 2>&1 & sleep 3")
    machine.boot("two")
    machine.finished("two")


@pytest.mark.usefixtures("as_root")
def test_a_server_ends_completely_although_its_volume_was_deleted(machine: Machine, tmp_path: Path) -> None:
    plans = []
    for number, device in enumerate(("vdb", "vdc")):
        file = tmp_path / f"volume{number}"
        with file.open("wb") as opened:
            opened.truncate(64 << 20)
        plans.append(VolumePlan(f"volume{number}", file, f"/dev/{device}"))
    machine.boot("one", volumes=tuple(plans))
    machine.finished("one")
    plans[0].file.unlink()
    machine.do(machine.linux.detach("one", "volume1"))
    machine.boot("two", volumes=(plans[1],))
    machine.finished("two")
    machine.do(machine.linux.halt("one"))
    assert "was not removed completely" not in (machine.folder / "holder.log").read_text()
