"""What a server has written to a volume is written back while the holder does everything else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from calor.localcloud.backend import VolumePlan
from calor.localcloud.linux import volumes
from calor.localcloud.linux.volumes import Volumes, _Mounted
from tests.support.linux import Machine
from tests.support.server import until


class Slow(Volumes):
    """Volumes that are not mounted, on a disk that takes until `disk_goes_on`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, can_mount=True)
        self._reading, self._waking = os.pipe()
        self.mounts: list[str] = []
        self.unmounts: list[str] = []

    def _mount(self, volume: VolumePlan, place: Path) -> None:
        self.mounts.append(volume.id)
        self._mounted[volume.id] = _Mounted("loop0", volumes._identity(volume.file))

    def _unmount(self, place: Path) -> None:
        self.unmounts.append(place.name)

    def flush(self, volume_id: str) -> None:
        os.read(self._reading, 1)

    def disk_goes_on(self, processes: int = 1) -> None:
        os.write(self._waking, b"x" * processes)

    def reap(self) -> None:
        """What the holder does when a child process exits."""
        process = until(lambda: next((one for one in self._writing if os.waitpid(one, os.WNOHANG)[0]), None))
        assert self.on_process_exit(process)


class NoNodes:
    """Instead of the nodes of devices, which need a mount."""

    def __init__(self, folder: Path, is_root: bool) -> None:
        pass


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(volumes, "Nodes", NoNodes)
    return Slow(tmp_path / "mounts")


@pytest.fixture
def volume(tmp_path: Path) -> VolumePlan:
    (tmp_path / "file").touch()
    return VolumePlan("volume", tmp_path / "file", "/dev/vdb")


def noting(noted: list[str], what: str) -> Callable[[], None]:
    return lambda: noted.append(what)


def test_nobody_waits_but_who_asked(slow: Slow, volume: VolumePlan) -> None:
    ended: list[str] = []
    slow.open(volume, "server")
    slow.close(volume.id, "server")
    slow.when_written([volume.id], noting(ended, "server"))
    slow.when_written(["other"], noting(ended, "other"))
    assert (ended, slow.unmounts) == (["other"], [])
    slow.disk_goes_on()
    slow.reap()
    assert (ended, slow.unmounts) == (["other", "server"], [volume.id])


def test_a_volume_that_is_used_again_meanwhile_stays_mounted(slow: Slow, volume: VolumePlan) -> None:
    """It must never be mounted twice."""
    slow.open(volume, "one")
    slow.close(volume.id, "one")
    slow.open(volume, "two")
    slow.disk_goes_on()
    slow.reap()
    assert (slow.mounts, slow.unmounts) == ([volume.id], [])


def test_a_volume_is_unmounted_when_all_its_users_are_written_back(slow: Slow, volume: VolumePlan) -> None:
    ended: list[str] = []
    for server in ("one", "two"):
        slow.open(volume, server)
        slow.close(volume.id, server)
    slow.when_written([volume.id], noting(ended, "both"))
    slow.disk_goes_on()
    slow.reap()
    assert (ended, slow.unmounts) == ([], [])
    slow.disk_goes_on()
    slow.reap()
    assert (ended, slow.mounts, slow.unmounts) == (["both"], [volume.id], [volume.id])


def test_other_data_under_the_same_id_is_not_mistaken_for_it(slow: Slow, volume: VolumePlan) -> None:
    """The file of a volume is replaced when a backup is restored."""
    slow.open(volume, "one")
    slow.close(volume.id, "one")
    volume.file.rename(volume.file.with_name("before"))
    volume.file.touch()
    slow.disk_goes_on()
    slow.open(volume, "two")
    assert (slow.mounts, slow.unmounts) == ([volume.id] * 2, [volume.id])


def test_what_other_processes_do_is_nothing_of_volumes(slow: Slow) -> None:
    assert not slow.on_process_exit(1)


def test_data_is_in_the_file_when_a_volume_was_detached(
    machine: Machine, tmp_path: Path, as_root: None
) -> None:
    file = tmp_path / "volume"
    with file.open("wb") as opened:
        opened.truncate(1 << 30)
    plan = VolumePlan("volume", file, "/dev/vdb")
    machine.boot("one")
    machine.finished("one")
    machine.do(machine.linux.attach("one", plan))
    machine.out(
        "one", "dd if=/dev/urandom of=/mnt/vdb/much bs=1M count=64 2>&1; echo -n 'the very end' >/mnt/vdb/end"
    )
    machine.do(machine.linux.detach("one", "volume"))
    assert b"the very end" in file.read_bytes()
    machine.boot("two", volumes=(plan,))
    machine.finished("two")
    assert machine.out("two", "cat /mnt/vdb/end") == "the very end"
    # What is written by a server that stops, too.
    machine.out("two", "echo -n 'written at last' >/mnt/vdb/last")
    machine.do(machine.linux.halt("two"))
    assert b"written at last" in file.read_bytes()
