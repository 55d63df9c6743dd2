"""What the root of a server reaches of the host: nothing but the services that it is to reach."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from calor.localcloud.backend import BackendError, VolumePlan
from calor.localcloud.config import GUEST_SOURCE_ADDRESS
from calor.localcloud.files import copy_sparse, make_sparse
from calor.localcloud.linux.volumes import check_trust
from calor.localcloud.provenance import mark_as_made_here
from tests.support.linux import Listener, Machine, eventually
from tests.support.requirements import need


@pytest.mark.parametrize("family", ["VSOCK", "ALG", "PACKET", "BLUETOOTH", "TIPC", "CAN", "RDS", "QIPCRTR"])
def test_address_families_without_namespaces_are_blocked(machine: Machine, family: str) -> None:
    machine.boot("one")
    machine.finished("one")
    tried = (
        f"import socket; socket.socket(socket.AF_{family}, socket.SOCK_DGRAM if {family!r} != 'ALG' else 5)"
    )
    done = machine.run("one", f'python3 -c "{tried}"')
    assert done.returncode != 0
    assert "not supported by protocol" in done.stderr or "has no attribute" in done.stderr, done.stderr


def test_common_sockets_work(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    tried = (
        "import socket; socket.socketpair(); socket.if_nameindex();"
        "[socket.socket(f, socket.SOCK_STREAM) for f in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)]"
    )
    machine.out("one", f'python3 -c "{tried}"')


def test_host_services_see_the_guest_source_address(machine: Machine, host_service: Listener) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    machine.out("one", f"curl -s -m 20 http://127.0.0.1:{host_service.port}/")
    assert host_service.peers == [GUEST_SOURCE_ADDRESS]


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

    def test_file_systems_that_panic_on_errors_are_not_mounted(
        self, machine: Machine, as_root: None, tmp_path: Path
    ) -> None:
        need("tune2fs")
        volume = _formatted(tmp_path / "volume", "-e", "panic")
        machine.boot("one")
        machine.finished("one")
        with pytest.raises(BackendError, match="panic on errors"):
            machine.do(machine.linux.attach("one", volume))
        assert str(volume.file) not in _loop_devices()

    def test_file_systems_from_images_are_not_mounted(
        self, machine: Machine, as_root: None, tmp_path: Path
    ) -> None:
        volume = _formatted(tmp_path / "volume")
        os.removexattr(volume.file, "trusted.calor.made_here")
        machine.boot("one")
        machine.finished("one")
        with pytest.raises(BackendError, match="not created by this cloud"):
            machine.do(machine.linux.attach("one", volume))
        with pytest.raises(BackendError, match="not created by this cloud"):
            machine.boot("two", volumes=(volume,))
        assert str(volume.file) not in _loop_devices()

    def test_a_rebooting_server_does_not_mount_a_replaced_file_system(
        self, machine: Machine, as_root: None, tmp_path: Path
    ) -> None:
        """The holder does so by itself, from what it was told before."""
        file = tmp_path / "volume"
        make_sparse(file, 1)
        machine.boot("one", volumes=(VolumePlan("volume", file, "/dev/vdb"),))
        machine.finished("one")
        uploaded = _formatted(tmp_path / "image").file
        file.unlink()
        copy_sparse(uploaded, file)
        machine.run("one", "kill -USR1 1")
        eventually(lambda: machine.died == ["one"], "it does not boot")
        assert not {found for found in _loop_devices() if found.startswith(str(file))}

    def test_leading_zeros_do_not_make_a_volume_blank(
        self, machine: Machine, as_root: None, tmp_path: Path
    ) -> None:
        """A file system that is made over something may have parts of that in it."""
        file = tmp_path / "volume"
        make_sparse(file, 1)
        with file.open("r+b") as content:
            content.seek(64 << 20)
            content.write(b"anything")
        machine.boot("one")
        machine.finished("one")
        with pytest.raises(BackendError, match="not created by this cloud"):
            machine.do(machine.linux.attach("one", VolumePlan("volume", file, "/dev/vdb")))

    def test_file_systems_with_mount_options_are_not_mounted(self, tmp_path: Path, as_root: None) -> None:
        need("tune2fs")
        volume = _formatted(tmp_path / "volume", "-E", "mount_opts=data=journal")
        with volume.file.open("rb") as file, pytest.raises(BackendError, match="mount options"):
            check_trust(volume.id, file.fileno())
        make_sparse(tmp_path / "other", 1)
        with (tmp_path / "other").open("rb") as file:
            mark_as_made_here(file.fileno())
            with pytest.raises(BackendError, match="not an ext4"):
                check_trust("other", file.fileno())

    def test_created_file_systems_are_remounted_read_only_on_errors(
        self, machine: Machine, as_root: None
    ) -> None:
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
    """As the cloud does it, but for some options."""
    need("mkfs.ext4")
    make_sparse(file, 1)
    with file.open("rb") as made:
        mark_as_made_here(made.fileno())
    subprocess.run(["mkfs.ext4", "-q", "-F", str(file)], check=True)
    if options:
        subprocess.run(["tune2fs", *options, str(file)], check=True, capture_output=True)
    return VolumePlan("volume", file, "/dev/vdb")


def _loop_devices() -> set[str]:
    return {file.read_text().strip() for file in Path("/sys/block").glob("loop*/loop/backing_file")}
