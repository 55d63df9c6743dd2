"""What the root of a server reaches of the host: nothing but the services that it is to reach."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from machines import Listener, Machine
from needing import need

from calor.localcloud.config import SERVERS_COME_FROM
from calor.localcloud.files import make_sparse
from calor.localcloud.linux.volumes import check_trust
from calor.localcloud.machinery import MachineryFailed, VolumePlan


@pytest.mark.parametrize("family", ["VSOCK", "ALG", "PACKET", "BLUETOOTH", "TIPC", "CAN", "RDS", "QIPCRTR"])
def test_sockets_that_know_no_namespaces_are_refused(machine: Machine, family: str) -> None:
    machine.boot("one")
    machine.finished("one")
    tried = (
        f"import socket; socket.socket(socket.AF_{family}, socket.SOCK_DGRAM if {family!r} != 'ALG' else 5)"
    )
    done = machine.run("one", f'python3 -c "{tried}"')
    assert done.returncode != 0
    assert "not supported by protocol" in done.stderr or "has no attribute" in done.stderr, done.stderr


def test_the_sockets_of_programs_still_work(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    tried = (
        "import socket; socket.socketpair(); socket.if_nameindex();"
        "[socket.socket(f, socket.SOCK_STREAM) for f in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)]"
    )
    machine.out("one", f'python3 -c "{tried}"')


def test_a_service_of_the_host_sees_that_a_server_asks(machine: Machine, door: Listener) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    machine.out("one", f"curl -s -m 20 http://127.0.0.1:{door.port}/")
    assert door.peers == [SERVERS_COME_FROM]


def test_a_program_in_a_server_does_not_trust_its_dev(machine: Machine) -> None:
    """Whoever visits a server gets a terminal of the server's own, whatever its root has put into /dev."""
    machine.boot("one", script="rm -f /dev/ptmx; mkfifo /dev/ptmx; rm -rf /dev/fd")
    machine.finished("one")
    program = (
        "import os, pty, sys; from pathlib import Path; from calor.localcloud.linux.shells import run_in\n"
        "sys.exit(run_in(Path(sys.argv[1]), 'one', ['/bin/sh', '-c', 'tty; test -t 0 && exit 7'], terminal=True))"
    )
    outer = f"import pty, sys; sys.exit(pty.spawn([sys.executable, '-c', {program!r}, {str(machine.folder)!r}]) >> 8)"
    done = subprocess.run([sys.executable, "-c", outer], capture_output=True, text=True, timeout=60)
    assert done.returncode == 7, done.stdout + done.stderr
    assert "/dev/pts/" in done.stdout


class TestFileSystems:
    """The kernel trusts what it mounts."""

    def test_one_that_would_stop_the_machine_is_not_mounted(
        self, machine: Machine, as_root: None, tmp_path: Path
    ) -> None:
        need("tune2fs")
        volume = _formatted(tmp_path / "volume", "-e", "panic")
        machine.boot("one")
        machine.finished("one")
        with pytest.raises(MachineryFailed, match="stop the machine"):
            machine.do(machine.linux.attach("one", volume))
        assert str(volume.file) not in _loop_devices()

    def test_what_came_from_an_image_is_not_mounted(
        self, machine: Machine, as_root: None, tmp_path: Path
    ) -> None:
        plain = _formatted(tmp_path / "volume")
        volume = VolumePlan(plain.id, plain.file, plain.device, uploaded=True)
        machine.boot("one")
        machine.finished("one")
        with pytest.raises(MachineryFailed, match="came from an image"):
            machine.do(machine.linux.attach("one", volume))
        with pytest.raises(MachineryFailed, match="came from an image"):
            machine.boot("two", volumes=(volume,))
        assert str(volume.file) not in _loop_devices()

    def test_mount_options_of_its_own_are_not_accepted(self, tmp_path: Path) -> None:
        need("tune2fs")
        volume = _formatted(tmp_path / "volume", "-E", "mount_opts=data=journal")
        with pytest.raises(MachineryFailed, match="mount options"):
            check_trust(volume)
        make_sparse(tmp_path / "other", 1)
        with pytest.raises(MachineryFailed, match="not an ext4"):
            check_trust(VolumePlan("other", tmp_path / "other", "/dev/vdb"))

    def test_those_that_are_made_here_go_read_only_at_an_error(self, machine: Machine, as_root: None) -> None:
        file = machine.folder.parent / "volumes" / "v"
        make_sparse(file, 1)
        machine.boot("one")
        machine.finished("one")
        machine.do(machine.linux.attach("one", VolumePlan("v", file, "/dev/vdb")))
        shown = subprocess.run(
            ["tune2fs", "-l", str(file)], capture_output=True, text=True, check=True
        ).stdout
        assert "Remount read-only" in shown
        assert "nosuid,nodev" in machine.out("one", "grep ' /mnt/vdb ' /proc/self/mounts")


def _formatted(file: Path, *options: str) -> VolumePlan:
    need("mkfs.ext4")
    make_sparse(file, 1)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(file)], check=True)
    if options:
        subprocess.run(["tune2fs", *options, str(file)], check=True, capture_output=True)
    return VolumePlan("volume", file, "/dev/vdb")


def _loop_devices() -> set[str]:
    return {file.read_text().strip() for file in Path("/sys/block").glob("loop*/loop/backing_file")}
