"""Servers: how they boot, end, sleep, and what is kept of them."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from calor.localcloud.backend import BackendError
from tests.support.linux import PING_AND, Machine, eventually
from tests.support.requirements import need


def test_a_server_boots_and_runs_its_user_data(machine: Machine) -> None:
    machine.boot("one", script="echo hello from $(hostname)")
    console = machine.finished("one")
    assert "hello from one\n" in console
    assert machine.do(machine.linux.running()) == {"one"}


def test_a_halted_server_keeps_its_disk_and_does_not_run_its_user_data_again(machine: Machine) -> None:
    machine.boot(
        "one", script="echo once >>/root/log; mkdir -p /usr/lib/mine; echo x >/usr/lib/mine/file || :"
    )
    machine.finished("one")
    machine.do(machine.linux.halt("one"))
    assert machine.do(machine.linux.running()) == frozenset()
    assert machine.died == []
    machine.boot("one", script="echo once >>/root/log")
    machine.finished("one", times=2)
    assert machine.out("one", "cat /root/log") == "once\n"


@pytest.mark.extended
def test_a_fresh_boot_has_an_empty_disk(machine: Machine) -> None:
    machine.boot("one", script="echo once >>/root/log")
    machine.finished("one")
    machine.boot("one", script="echo again >>/root/log", fresh=True)
    machine.finished("one")
    assert machine.out("one", "cat /root/log") == "again\n"


def test_a_server_that_powers_off_is_reported(machine: Machine) -> None:
    machine.boot("one", script="poweroff")
    eventually(lambda: machine.died == ["one"], "it is told")
    assert machine.do(machine.linux.running()) == frozenset()


def test_a_server_can_reboot_itself(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"), script="echo first; reboot")
    eventually(lambda: machine.console("one").count("boots from") == 2, "it boots again")
    machine.finished("one")
    assert machine.died == []
    assert "net 10.0.0.11" in machine.out("one", "curl -s -m 5 http://169.254.169.254/")


def test_a_frozen_server_does_nothing_until_it_is_thawed(machine: Machine) -> None:
    machine.boot("one", script="while :; do echo x >>/root/ticks; sleep 0.02; done &")
    ticks = machine.folder / "servers/one/disk/upper/root/ticks"
    eventually(ticks.exists, "it ticks")
    machine.do(machine.linux.freeze("one"))
    eventually(lambda: _stands_still(ticks), "it stands still")
    assert machine.do(machine.linux.running()) == {"one"}
    before = ticks.stat().st_size
    machine.do(machine.linux.thaw("one"))
    eventually(lambda: ticks.stat().st_size > before, "it ticks again")


def _stands_still(file: Path) -> bool:
    import time

    before = file.stat().st_size
    time.sleep(0.3)
    return file.stat().st_size == before


@pytest.mark.extended
def test_a_frozen_server_can_be_destroyed(machine: Machine) -> None:
    machine.boot("one")
    machine.finished("one")
    machine.do(machine.linux.freeze("one"))
    machine.do(machine.linux.destroy("one"))
    assert not (machine.folder / "servers/one").exists()


def test_usage_of_a_server(machine: Machine) -> None:
    machine.boot("one", script="i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")
    machine.finished("one")
    used = eventually(lambda: machine.do(machine.linux.usage("one")), "usage")
    assert used.cpu_seconds > 0
    assert used.memory_mb > 0


def test_memory_is_limited_by_the_flavor(machine: Machine, as_root: None) -> None:
    from calor.localcloud.linux.holder import group_name
    from calor.localcloud.linux.limits import create_groups

    if not {"", "memory"} & set(create_groups(group_name(machine.folder)).folders):
        pytest.skip("there is no controller for memory here")
    machine.boot("one", memory_mb=64)
    machine.finished("one")
    greedy = machine.run("one", "python3 -c 'x = bytearray(300 << 20); print(len(x))'")
    assert greedy.returncode != 0
    assert machine.do(machine.linux.running()) == {"one"}


def test_the_console_is_truncated_at_the_beginning(machine: Machine) -> None:
    machine.boot(
        "one", script="i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); echo line $i of many lines; done"
    )
    console = machine.said("one", "line 60000 of many lines")
    assert len(console) <= 1 << 20
    assert "line 1 of" not in console


def test_a_server_gets_keys_password_and_host_name(machine: Machine) -> None:
    plan = {"public_keys": ("ssh-ed25519 AAAA me",), "admin_password": "secret"}
    machine.boot("one", **plan)
    machine.finished("one")
    assert machine.out("one", "cat /root/.ssh/authorized_keys /home/debian/.ssh/authorized_keys") == (
        "ssh-ed25519 AAAA me\n" * 2
    )
    assert machine.out("one", "hostname; cat /etc/hostname") == "one\none\n"
    assert machine.out("one", "grep -c '^root:\\$' /etc/shadow") == "1\n"


def test_a_config_drive_is_mounted(machine: Machine) -> None:
    machine.boot("one", config_drive={"openstack/latest/meta_data.json": b'{"uuid": "one"}'})
    machine.finished("one")
    assert machine.out("one", "cat /mnt/config/openstack/latest/meta_data.json") == '{"uuid": "one"}'
    assert machine.run("one", "touch /mnt/config/x").returncode != 0


@pytest.mark.parametrize("name", ["cirros-0.3.5-x86_64-disk", "debian-12", "fedora-heat-test", "anything"])
@pytest.mark.extended
def test_builtin_images_boot(machine: Machine, name: str) -> None:
    machine.boot("one", image_name=name, script="echo up and running")
    assert "up and running" in machine.finished("one")


def test_a_snapshot_boots_with_what_was_written(machine: Machine, tmp_path: Path) -> None:
    machine.boot("one", script="echo kept >/root/file; echo tool >/usr/local/bin/tool")
    machine.finished("one")
    target = tmp_path / "snapshot.tar.gz"
    machine.do(machine.linux.snapshot("one", target))
    machine.boot("two", image=target, image_name="snapshot")
    machine.finished("two")
    assert machine.out("two", "cat /root/file /usr/local/bin/tool; hostname") == "kept\ntool\ntwo\n"


@pytest.mark.extended
def test_a_halted_server_can_be_snapshotted_after_a_restart(machine: Machine, tmp_path: Path) -> None:
    machine.boot("one", script="echo kept >/root/file")
    machine.finished("one")
    machine.do(machine.linux.halt("one"))
    machine.restart()
    target = tmp_path / "snapshot.tar.gz"
    machine.do(machine.linux.snapshot("one", target))
    with tarfile.open(target) as archive:
        content = archive.extractfile("root/file")
        assert content is not None
        assert content.read() == b"kept\n"


@pytest.mark.extended
def test_an_uploaded_tarball_boots(machine: Machine, tmp_path: Path) -> None:
    """One with everything it needs: here a shell and what it runs with, of the host's."""
    target = _small_image(tmp_path)
    machine.boot("one", image=target, image_name="mine", script="echo up with $(cat /etc/mine)")
    assert "up with my own" in machine.finished("one")
    assert machine.run("one", "test -e /usr/bin/python3").returncode != 0


def test_a_tarball_cannot_write_outside_its_image(machine: Machine, tmp_path: Path) -> None:
    import io

    victim = tmp_path / "victim"
    victim.write_text("untouched")
    target = tmp_path / "evil.tar"
    with tarfile.open(target, "w") as archive:
        for name, link in (("up", "/"), ("etc", str(tmp_path))):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, link
            archive.addfile(entry)
        for name in ("etc/victim", f"up{victim}", f"../../../../../..{victim}"):
            entry = tarfile.TarInfo(name)
            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"bad"))
    with pytest.raises(BackendError):
        machine.boot("one", image=target, image_name="evil")
    assert victim.read_text() == "untouched"


def _small_image(folder: Path) -> Path:
    import subprocess

    programs = (
        "sh",
        "cat",
        "mkdir",
        "tee",
        "date",
        "sleep",
        "chmod",
        "chown",
        "dirname",
        "sort",
        "cut",
        "touch",
    )
    found = [f"/usr/bin/{name}" for name in programs]
    listed = subprocess.run(["ldd", *found], capture_output=True, text=True, check=True).stdout
    libraries = {word for word in listed.split() if word.startswith("/") and not word.endswith(":")}
    target = folder / "image.tar"
    (folder / "mine").write_text("my own\n")
    with tarfile.open(target, "w", dereference=True) as archive:
        archive.add(folder / "mine", "etc/mine")
        for program in found:
            archive.add(program, f"bin/{Path(program).name}")
        for library in libraries:
            archive.add(library, library.lstrip("/"))
    return target


def test_the_cirros_image_uses_busybox_if_available(machine: Machine) -> None:
    need("busybox")
    need("curl")
    machine.network()
    machine.boot(
        "first", machine.port("10.0.0.11", permissions=PING_AND), image_name="cirros", script="httpd -h /etc"
    )
    machine.boot(
        "second", machine.port("10.0.0.12", permissions=PING_AND), image_name="cirros", script="id -u"
    )
    assert "\n0\n" in machine.finished("second")

    assert machine.out("second", "readlink /bin/ls") == "/bin/busybox\n"
    # Nothing of the host.
    assert machine.out("second", "ls /usr/lib") == "calor-cloud\n"
    assert "1 received" in machine.out("second", "ping -c 1 -W 5 10.0.0.11")
    for fetch in ("wget -q -O -", "curl -s"):
        assert machine.out("first", f"{fetch} http://127.0.0.1/hostname") == "first\n"
