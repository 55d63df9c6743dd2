"""What servers cannot see or do. They share a kernel with the host, and should share nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.linux import Machine


@pytest.fixture
def inside(machine: Machine) -> Machine:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    return machine


def test_files_of_the_host_are_not_visible(inside: Machine, tmp_path: Path) -> None:
    assert inside.run("one", f"ls {tmp_path} {Path.cwd()}").returncode != 0
    assert set(inside.out("one", "ls -A /root /home /usr/src /opt /srv /tmp").split()) == {
        *("/root:", "/home:", "/usr/src:", "/opt:", "/srv:", "/tmp:", "debian"),
    }
    if os.geteuid() == 0:
        host = Path("/etc/shadow").read_text()
        assert inside.out("one", "cat /etc/shadow") != host


def test_local_programs_of_the_host_are_hidden(inside: Machine) -> None:
    assert inside.out("one", "find /usr/local -type f") == ""


def test_processes_of_the_host_are_not_visible(inside: Machine) -> None:
    numbers = [int(name) for name in inside.out("one", "ls /proc").split() if name.isdigit()]
    assert 1 in numbers
    assert len(numbers) < 12
    assert "/run/boot/init" in inside.out("one", "tr '\\0' ' ' </proc/1/cmdline")


def test_the_environment_is_not_inherited(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.kill_holder()
    monkeypatch.setenv("OS_PASSWORD", "very secret")
    machine.restart()
    machine.boot("one")
    machine.finished("one")
    assert "secret" not in machine.out("one", "env; tr '\\0' '\\n' </proc/1/environ")


def test_open_files_are_not_inherited(inside: Machine) -> None:
    open_files = set(inside.out("one", "ls /proc/1/fd").split())
    # The shell has its script open.
    scripts = {one for one in open_files if "init" in inside.out("one", f"readlink /proc/1/fd/{one}")}
    assert open_files - scripts == {"0", "1", "2"}


@pytest.mark.parametrize(
    "attempt",
    [
        "mount -t tmpfs none /mnt",
        "umount /proc/sys",
        "unshare -U true",
        "unshare -n true",
        "mknod /dev/sda b 8 0",
        "nft list ruleset",
        "ip link set eth0 down",
        "ip addr flush dev eth0",
        "echo 1 >/proc/sys/net/ipv4/ip_forward",
        "echo b >/proc/sysrq-trigger && test -s /proc/sysrq-trigger",
        "test -s /proc/kcore",
        "test -s /proc/kallsyms",
        "test -s /proc/keys",
        "dmesg",
        "hostname other",
        "date -s 2001-01-01",
        "touch /run/boot/x",
        "nsenter -t 1 -m true",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
        "python3 -c 'import ctypes; assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0'",
        "dd if=/dev/vda of=/dev/null count=1",
    ],
)
def test_privileged_operations_fail(inside: Machine, attempt: str) -> None:
    assert inside.run("one", attempt).returncode != 0


def test_root_of_a_server_is_unprivileged_on_the_host(inside: Machine, as_root: None) -> None:
    inside.out("one", "touch /root/mine")
    assert (inside.folder / "servers/one/disk/upper/root/mine").stat().st_uid >= 1_000_000
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
            owner = process.stat().st_uid
        except OSError:
            continue
        if words.startswith(b"/bin/sh\0/run/boot/init"):
            assert owner >= 1_000_000


def test_a_server_cannot_gain_capabilities(inside: Machine) -> None:
    status = dict(
        line.split(":", 1) for line in inside.out("one", "cat /proc/self/status").splitlines() if ":" in line
    )
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"
    sys_admin = 1 << 21
    net_admin = 1 << 12
    assert not int(status["CapBnd"], 16) & (sys_admin | net_admin)


def test_the_network_of_the_host_is_unchanged(machine: Machine) -> None:
    before = {name: Path(name).read_text() for name in _SYSCTLS}
    machine.public()
    machine.network()
    machine.router("net", (f"{machine.outside}.101", "10.0.0.11"))
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    assert {name: Path(name).read_text() for name in _SYSCTLS} == before


_SYSCTLS = (
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sys/net/ipv4/conf/all/route_localnet",
    "/proc/sys/net/ipv4/ip_unprivileged_port_start",
    "/proc/sys/net/ipv4/ping_group_range",
)
