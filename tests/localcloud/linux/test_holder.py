"""The holder: outlives the cloud, and leaves nothing behind when it ends, however it does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from calor.localcloud.linux import backend
from calor.localcloud.linux.holder import group_name
from tests.support.linux import Machine, eventually, get, web


def test_servers_keep_running_during_a_restart(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"), script="echo run >>/root/runs")
    machine.finished("one")
    machine.restart()
    assert machine.do(machine.linux.running()) == {"one"}
    machine.network()
    assert machine.out("one", "cat /root/runs; curl -s -m 5 http://169.254.169.254/") == "run\nnet 10.0.0.11"


def test_metadata_requests_wait_for_a_restart(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    machine.do(machine.linux.stop())
    machine.out("one", "(curl -s -m 50 http://169.254.169.254/ >/root/answer) >/dev/null 2>&1 &")
    machine.begin()
    machine.network()
    eventually(lambda: machine.run("one", "cat /root/answer").stdout == "net 10.0.0.11", "it is answered")


def test_servers_are_restarted_if_the_holder_is_killed(machine: Machine) -> None:
    machine.public()
    machine.network()
    floating = f"{machine.outside}.101"
    machine.router("net", (floating, "10.0.0.11"))
    serve = b"#cloud-config\nbootcmd:\n- cd /srv; python3 -m http.server 8080 >/dev/null 2>&1 &\n"
    machine.boot("web", machine.port("10.0.0.11", permissions=web(8080)), user_data=serve)
    eventually(lambda: get(floating, 8080), "the server answers")
    before = machine.holder()
    machine.kill_holder()
    eventually(lambda: machine.holder() not in (None, before), "there is another holder")
    eventually(lambda: get(floating, 8080), "the server answers again")
    assert machine.died == []


def test_a_holder_of_another_version_is_replaced(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = machine.holder()
    machine.do(machine.linux.stop())
    monkeypatch.setattr(backend, "VERSION", 99)
    machine.begin()
    assert machine.holder() not in (None, before)
    assert machine.do(machine.linux.running()) == frozenset()


def test_destroyed_servers_leave_nothing_behind(machine: Machine, tmp_path: Path) -> None:
    before = _seen(machine)
    machine.public()
    machine.network()
    machine.router("net", (f"{machine.outside}.101", "10.0.0.11"))
    machine.boot("one", machine.port("10.0.0.11"), script="sleep 1000 & sleep 1000 &")
    machine.finished("one")
    machine.do(machine.linux.destroy("one"))
    machine.do(machine.linux.drop_router("router"))
    machine.do(machine.linux.drop_network("net"))
    machine.do(machine.linux.drop_network("public"))
    eventually(lambda: _seen(machine) == before, lambda: f"only {before} is left, not {_seen(machine)}")
    assert not list((machine.folder / "servers").iterdir())


def test_a_stopped_holder_leaves_nothing_behind(machine: Machine) -> None:
    _fill(machine)
    machine.stop()
    eventually(lambda: _left(machine) == [], lambda: f"nothing is left: {_left(machine)}")


def test_leftovers_of_a_killed_holder_are_removed(machine: Machine) -> None:
    _fill(machine)
    machine.do(machine.linux.stop())
    machine.kill_holder()
    eventually(lambda: not _processes(machine), "all servers die")
    machine.begin()
    assert machine.do(machine.linux.running()) == frozenset()
    machine.stop()
    eventually(lambda: _left(machine) == [], lambda: f"nothing is left: {_left(machine)}")


def test_sweep_removes_everything_not_listed(machine: Machine) -> None:
    _fill(machine)
    machine.network("kept", "10.0.5.0/24")
    machine.boot("kept", machine.port("10.0.5.11", "kept"))
    machine.finished("kept")
    machine.do(machine.linux.sweep(frozenset({"kept"}), frozenset(), frozenset({"kept"})))
    assert machine.do(machine.linux.running()) == {"kept"}
    assert [one.name for one in (machine.folder / "servers").iterdir()] == ["kept"]
    assert machine.out("kept", "curl -s -m 5 http://169.254.169.254/") == "kept 10.0.5.11"


def _fill(machine: Machine) -> None:
    machine.public()
    machine.network()
    machine.router("net", (f"{machine.outside}.101", "10.0.0.11"))
    for number in (11, 12):
        machine.boot(f"server-{number}", machine.port(f"10.0.0.{number}"))
    for number in (11, 12):
        machine.finished(f"server-{number}")


def _seen(machine: Machine) -> dict[str, object]:
    """What the kernel has because of the holder."""
    holder = machine.holder()
    descriptors = [os.readlink(one) for one in Path(f"/proc/{holder}/fd").iterdir() if one.is_symlink()]
    return {
        "devices": sorted(os.listdir("/sys/class/net")),
        "namespaces": sum(name.startswith("net:") for name in descriptors),
        "terminals": sum("pt" in name for name in descriptors),
        "mounts": len(Path(f"/proc/{holder}/mounts").read_text().splitlines()),
        "groups": sorted(str(one) for one in _groups(machine)),
        "processes": len(_processes(machine)),
    }


def _groups(machine: Machine) -> list[Path]:
    name = group_name(machine.folder)
    return [
        Path(place, one) for place, found, _ in os.walk("/sys/fs/cgroup") for one in found if name in place
    ]


def _processes(machine: Machine) -> list[str]:
    """Those that have the cloud's folder in what they have mounted, the holder among them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            mounts = (process / "mounts").read_text()
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(machine.folder) in mounts or str(machine.folder).encode() in words:
            found.append(process.name)
    return found


def _left(machine: Machine) -> list[str]:
    devices = [one for one in os.listdir("/sys/class/net") if one == machine.linux._ranges.host_device]
    name = group_name(machine.folder)
    groups = [place for place, _, _ in os.walk("/sys/fs/cgroup") if name in place]
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if str(machine.folder) in line]
    return [*devices, *groups, *mounts, *_processes(machine)]
