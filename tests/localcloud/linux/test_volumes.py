"""Volumes: a place to write in a server, whose content outlives it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from calor.localcloud.backend import VolumePlan
from calor.localcloud.files import copy_sparse
from tests.support.linux import Machine


def _volume(folder: Path, id: str = "volume", device: str = "/dev/vdb") -> VolumePlan:
    file = folder / id
    with open(file, "wb") as content:
        content.truncate(64 << 20)
    return VolumePlan(id, file, device)


def test_a_volume_is_mounted_at_boot(machine: Machine, tmp_path: Path) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),), script="echo kept >/mnt/vdb/file && echo written")
    assert "written" in machine.finished("one")


@pytest.mark.extended
def test_data_moves_with_the_volume_to_another_server(machine: Machine, tmp_path: Path) -> None:
    volume = _volume(tmp_path)
    for id in ("one", "two"):
        machine.boot(id)
        machine.finished(id)
    machine.do(machine.linux.attach("one", volume))
    machine.out("one", "echo kept >/mnt/vdb/file; sync")
    machine.do(machine.linux.detach("one", volume.id))
    assert machine.run("one", "test -e /mnt/vdb/file").returncode != 0
    moved = VolumePlan(volume.id, volume.file, "/dev/vdc")
    machine.do(machine.linux.attach("two", moved))
    assert machine.out("two", "cat /mnt/vdc/file") == "kept\n"


def test_a_volume_survives_the_server_it_was_attached_to(machine: Machine, tmp_path: Path) -> None:
    volume = _volume(tmp_path)
    machine.boot("one", volumes=(volume,), script="echo kept >/mnt/vdb/file")
    machine.finished("one")
    machine.do(machine.linux.destroy("one"))
    machine.boot("two", volumes=(volume,))
    machine.finished("two")
    assert machine.out("two", "cat /mnt/vdb/file") == "kept\n"


def test_a_volume_with_open_files_can_be_detached(machine: Machine, tmp_path: Path) -> None:
    volume = _volume(tmp_path)
    machine.boot("one", volumes=(volume,), script="echo kept >/mnt/vdb/file; cd /mnt/vdb; sleep 1000 &")
    machine.finished("one")
    machine.boot("two")
    machine.finished("two")
    machine.do(machine.linux.detach("one", volume.id))
    machine.do(machine.linux.attach("two", volume))
    assert machine.out("two", "cat /mnt/vdb/file") == "kept\n"


def test_as_root_a_volume_is_as_large_as_its_file(machine: Machine, tmp_path: Path, as_root: None) -> None:
    volume = _volume(tmp_path)
    machine.boot("one", volumes=(volume,))
    machine.finished("one")
    too_much = machine.run("one", "dd if=/dev/zero of=/mnt/vdb/big bs=1M count=100")
    assert too_much.returncode != 0
    assert volume.file.stat().st_size == 64 << 20


def test_flush_writes_to_the_file_of_the_volume(machine: Machine, tmp_path: Path, as_root: None) -> None:
    volume = _volume(tmp_path)
    machine.boot("one", volumes=(volume,))
    machine.finished("one")
    machine.out("one", "echo kept >/mnt/vdb/file")
    machine.do(machine.linux.flush(volume.id))
    copy = VolumePlan("copy", tmp_path / "copy", "/dev/vdc")
    copy_sparse(volume.file, copy.file, keep_mark=True)
    machine.do(machine.linux.attach("one", copy))
    assert machine.out("one", "cat /mnt/vdc/file") == "kept\n"


def _need_power_over_resources() -> None:
    [line] = [each for each in Path("/proc/self/status").read_text().splitlines() if "CapEff" in each]
    if not int(line.split()[1], 16) >> 24 & 1:
        pytest.skip("the kernel grows file systems in use only for those with CAP_SYS_RESOURCE")


def _megabytes(machine: Machine, id: str) -> int:
    return int(machine.out(id, "df -m /mnt/vdb | tail -n 1").split()[1])


@pytest.mark.extended
def test_as_root_an_extended_volume_grows_when_it_is_attached(
    machine: Machine, tmp_path: Path, as_root: None
) -> None:
    volume = _volume(tmp_path)
    machine.boot("one", volumes=(volume,), script="echo kept >/mnt/vdb/file")
    machine.finished("one")
    machine.do(machine.linux.detach("one", volume.id))
    os.truncate(volume.file, 256 << 20)
    machine.do(machine.linux.attach("one", volume))
    assert _megabytes(machine, "one") > 200
    assert machine.out("one", "cat /mnt/vdb/file") == "kept\n"


def test_as_root_an_attached_volume_grows(machine: Machine, tmp_path: Path, as_root: None) -> None:
    _need_power_over_resources()
    volume = _volume(tmp_path)
    machine.boot("one", volumes=(volume,))
    machine.finished("one")
    assert _megabytes(machine, "one") < 64
    os.truncate(volume.file, 256 << 20)
    machine.do(machine.linux.grow(volume.id, volume.file))
    assert _megabytes(machine, "one") > 200


@pytest.mark.extended
def test_mounts_in_cloud_config(machine: Machine, tmp_path: Path) -> None:
    config = b"#cloud-config\nmounts:\n- [/dev/vdb, /data]\nruncmd:\n- echo kept >/data/file\n"
    machine.boot("one", volumes=(_volume(tmp_path),), user_data=config)
    machine.finished("one")
    assert machine.out("one", "cat /mnt/vdb/file") == "kept\n"


def test_the_disk_stays_with_the_boot_volume(machine: Machine, tmp_path: Path) -> None:
    volume = _volume(tmp_path, device="/dev/vda")
    machine.boot("one", root_volume=volume, script="echo kept >/root/file; echo tool >/usr/local/bin/tool")
    machine.finished("one")
    machine.do(machine.linux.destroy("one"))
    machine.boot("two", root_volume=volume, script="echo again >>/root/file", fresh=True)
    machine.finished("two")
    assert machine.out("two", "cat /root/file /usr/local/bin/tool") == "kept\nagain\ntool\n"
    machine.do(machine.linux.destroy("two"))
    volume.file.unlink()
    machine.do(machine.linux.drop_volume(volume.id))
    assert not (machine.folder / "roots" / volume.id).exists()


@pytest.mark.extended
def test_only_the_first_server_writes_to_a_shared_boot_volume(machine: Machine, tmp_path: Path) -> None:
    volume = _volume(tmp_path, device="/dev/vda")
    for id in ("one", "two"):
        machine.boot(id, root_volume=volume, script=f"echo {id} >/root/file")
        machine.finished(id)
    machine.do(machine.linux.destroy("one"))
    machine.boot("three", root_volume=volume)
    machine.finished("three")
    assert machine.out("three", "cat /root/file") == "one\n"


@pytest.mark.parametrize("image", ["debian-12", "cirros"])
def test_scripts_make_a_file_system_mount_it_and_write(machine: Machine, tmp_path: Path, image: str) -> None:
    volume = _volume(tmp_path)
    steps = (
        "set -e; grep -q vdb /proc/partitions; mkfs.ext4 /dev/vdb; mount /dev/vdb /mnt; echo kept >/mnt/file;"
        "grep ' /mnt ' /proc/mounts; umount /mnt; ! test -e /mnt/file; echo done"
    )
    machine.boot("one", volumes=(volume,), script=steps, image_name=image)
    assert "done" in machine.finished("one")
    machine.do(machine.linux.destroy("one"))
    machine.boot("two", image_name=image)
    machine.finished("two")
    machine.do(machine.linux.attach("two", volume))
    assert machine.out("two", "mkdir /data; mount /dev/vdb /data && cat /data/file") == "kept\n"
    machine.do(machine.linux.detach("two", volume.id))
    assert machine.run("two", "cat /data/file").returncode != 0
    assert machine.out("two", "tail -n +3 /proc/partitions; cat /run/volumes/mounts") == ""


def test_mkfs_empties_a_volume(machine: Machine, tmp_path: Path) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),))
    machine.finished("one")
    machine.out(
        "one", "mkdir -p /mnt/vdb/a/.b; touch /mnt/vdb/.hidden /mnt/vdb/a/.b/c; mkfs -t ext4 /dev/vdb"
    )
    assert set(machine.out("one", "ls -A /mnt/vdb").split()) <= {"lost+found"}
    assert machine.out("one", "ls /tmp") == ""
    assert "ext4, not xfs" in machine.run("one", "mkfs -t xfs /dev/vdb").stderr


def test_a_volume_has_a_device_that_cannot_be_opened(machine: Machine, tmp_path: Path, as_root: None) -> None:
    volume = _volume(tmp_path, id="1b2c3d4e-0000-0000-0000-000000000000")
    machine.boot("one", volumes=(volume,))
    machine.finished("one")
    by_id = "/dev/disk/by-id/virtio-1b2c3d4e-0000-0000-0"
    shown = f"test -b /dev/vdb && readlink -f {by_id}"
    assert machine.out("one", shown) == "/dev/vdb\n"
    assert machine.run("one", "head -c 1 /dev/vdb").returncode != 0
    machine.do(machine.linux.detach("one", volume.id))
    assert machine.run("one", "ls /dev/vdb").returncode != 0
    machine.do(machine.linux.attach("one", volume))
    assert machine.out("one", shown) == "/dev/vdb\n"
    assert machine.run("one", "head -c 1 /dev/vdb").returncode != 0


def test_a_volume_is_mounted_by_its_uuid_at_each_boot(
    machine: Machine, tmp_path: Path, as_root: None
) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),))
    machine.finished("one")
    uuid = machine.out("one", "blkid -s UUID -o value /dev/vdb").strip()
    assert machine.out("one", "blkid /dev/vdb") == f'/dev/vdb: UUID="{uuid}" TYPE="ext4"\n'
    assert machine.run("one", "blkid /dev/vdc").returncode == 2
    machine.out(
        "one", f"mkdir /data; echo UUID={uuid} /data ext4 defaults 0 2 >/etc/fstab; mount -a; mount -a"
    )
    assert machine.out("one", "cat /run/volumes/mounts") == "vdb /data\n"
    assert "is mounted" in machine.run("one", "mkfs.ext4 /dev/vdb").stderr
    machine.run("one", "kill -USR1 1")
    machine.finished("one", times=2)
    assert machine.out("one", "cat /run/volumes/mounts") == "vdb /data\n"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("mount /dev/vdc /mnt", "/dev/vdc is not a volume of this server"),
        ("mount -t tmpfs none /mnt", "volumes have ext4, not tmpfs"),
        ("mount --bind /etc /mnt", "only volumes can be mounted"),
        ("mount /dev/vdb /nowhere", "the mount point /nowhere does not exist"),
        ("mount /dev/vdb /dev", "nothing can be mounted at /dev"),
        ("mount /dev/vdb /", "not a full path"),
        ("umount /mnt", "it is not mounted"),
    ],
)
def test_other_mounts_are_refused(machine: Machine, tmp_path: Path, command: str, problem: str) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),))
    machine.finished("one")
    assert problem in machine.run("one", command).stderr


def test_only_root_mounts(machine: Machine, tmp_path: Path, as_root: None) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),))
    machine.finished("one")
    tried = machine.run("one", "setpriv --reuid=1000 --regid=1000 --clear-groups mount /dev/vdb /mnt")
    assert "only root can do that" in tried.stderr


def test_odd_requests_for_mounts_change_nothing(machine: Machine, tmp_path: Path) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),))
    machine.finished("one")
    machine.out(
        "one",
        "ln -s / /tmp/link; cd /run/volumes; head -c 9000 /dev/zero >requests; head -c 9000 /dev/urandom >requests;"
        "printf '\\n\\n  \\n1 mount\\n1 mount vdb\\n1 mount vdb /tmp/../mnt\\n1 mount vdb /tmp/link\\n' >requests;"
        "for i in $(seq 100); do echo $i detach vdb /mnt; done >requests",
    )
    assert machine.out("one", "mount /dev/vdb /srv; cat /run/volumes/mounts") == "vdb /srv\n"
    assert machine.out("one", "umount /srv; cat /run/volumes/mounts") == ""


def test_a_volume_that_was_mounted_on_another_one_can_be_detached(machine: Machine, tmp_path: Path) -> None:
    first, second, third = (_volume(tmp_path, id, f"/dev/vd{id}") for id in "bcd")
    machine.boot("one", volumes=(first, second))
    machine.finished("one")
    machine.out("one", "mount /dev/vdb /mnt && mkdir /mnt/inner && mount /dev/vdc /mnt/inner")
    machine.do(machine.linux.attach("one", third))
    machine.out("one", "echo kept >/mnt/inner/file; test -d /mnt/vdd")
    for volume in (first, second, third):
        machine.do(machine.linux.detach("one", volume.id))
    assert (
        machine.out("one", "cat /run/volumes/known /run/volumes/mounts; ls /dev/vd* 2>&1 | grep -c ^/ || :")
        == "0\n"
    )
    machine.do(machine.linux.attach("one", second))
    assert machine.out("one", "cat /mnt/vdc/file") == "kept\n"


def test_a_server_has_a_limited_number_of_mounts(machine: Machine, tmp_path: Path) -> None:
    machine.boot("one", volumes=(_volume(tmp_path),))
    machine.finished("one")
    tried = machine.run("one", "for i in $(seq 17); do mount /dev/vdb /srv || exit 1; done")
    assert "cannot have more" in tried.stderr
    assert machine.out("one", "wc -l </run/volumes/mounts") == "16\n"
