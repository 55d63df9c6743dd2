"""Volumes as servers have them: a file system that the holder has opened, shown at /mnt/ and the device's name.

Servers cannot mount. As root, the volume's file is a block device with a file system; without, its content is in a
folder of its own.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calor.localcloud.linux import beneath, syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.growing import (
    SYSTEM_PATH,
    distrust,
    flush,
    grow_at_rest,
    grow_in_use,
    has_room,
    shut_down,
)
from calor.localcloud.linux.roots import forget_gone, mark
from calor.localcloud.linux.syscalls import MS_NODEV, MS_NOSUID, NEWNS, mount, umount
from calor.localcloud.machinery import MachineryFailed, VolumePlan

log = logging.getLogger("calor.localcloud")

VOLUMES_AT = "mnt"
_LOOP_CONTROL, _GET_FREE, _CONFIGURE = "/dev/loop-control", 0x4C82, 0x4C0A
_CLEAR_WHEN_CLOSED = 4
_LOOKED_AT = 128 << 10
"""Bytes at the beginning, where every file system has something."""
_SECONDS_TO_LET_GO = 1.0
"""For what the kernel still has to do with a device that nobody uses any more."""


_NAME = re.compile(r"[a-z]{1,16}[0-9]{0,4}")
_TAKEN = ("config",)


def mount_name(volume: VolumePlan) -> str:
    """Where a volume is shown: by the name of its device, which somebody has chosen."""
    name = volume.device.removeprefix("/dev/")
    return name if _NAME.fullmatch(name) and name not in _TAKEN else f"volume-{volume.id}"


def prepare_volume(volume: VolumePlan, owner: int) -> None:
    """Gives a volume that has never been written to a file system, whose root belongs to the root of servers; grows
    that of one that was extended since. Raises MachineryFailed for one that was not made here: the kernel trusts
    what it mounts."""
    file = volume.file
    with open(file, "rb") as content:
        is_written = any(content.read(_LOOKED_AT))
    if is_written or volume.uploaded:
        check_trust(volume)
        _grow_unused(file)
        return
    options = f"root_owner={owner}:{owner},lazy_itable_init=1"
    command = ["mkfs.ext4", "-q", "-F", "-e", "remount-ro", "-E", options, str(file)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, env={"PATH": SYSTEM_PATH})
    except (OSError, subprocess.CalledProcessError) as error:
        raise MachineryFailed(f"the volume cannot be given a file system: {error}") from None


def check_trust(volume: VolumePlan) -> None:
    """Raises MachineryFailed for a volume whose file system was not made here, or does not look so."""
    problem = "its data came from an image" if volume.uploaded else distrust(volume.file)
    if problem is not None:
        raise MachineryFailed(f"the file system of the volume {volume.id} is not mounted: {problem}")


def _grow_unused(file: Path) -> None:
    """One that cannot be grown can still be used."""
    if not has_room(file):
        return
    deadline = time.monotonic() + _SECONDS_TO_LET_GO
    while (device := _device_of(file)) is not None:
        device.close()
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)
    try:
        grow_at_rest(file)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("The file system of the volume %s cannot be made larger: %s", file.name, error)


class Volumes:
    """Those that are open, each as a folder in the holder's own view of the files."""

    def __init__(self, folder: Path, can_mount: bool) -> None:
        self._folder = folder
        self._can_mount = can_mount
        self._users: dict[str, set[str]] = {}
        self._devices: dict[str, str] = {}
        """The names of their block devices. The file of a volume may have more than one: of another, only a process of
        a server that had it may be left, which has no use of it any more."""

    def open(self, volume: VolumePlan, server: str) -> Path:
        place = self._folder / volume.id
        if not self._can_mount:
            place = place / "content"
            place.mkdir(mode=0o755, parents=True, exist_ok=True)
            mark(self._folder / volume.id, volume.file)
        elif volume.id not in self._users:
            place.mkdir(parents=True, exist_ok=True)
            self._mount(volume, place)
        self._users.setdefault(volume.id, set()).add(server)
        return place

    def _mount(self, volume: VolumePlan, place: Path) -> None:
        check_trust(volume)
        file = volume.file
        device = _new_device(file)
        try:
            mount(f"/dev/{device.name}", str(place), "ext4", MS_NOSUID | MS_NODEV, "errors=remount-ro")
            self._devices[volume.id] = device.name
            _grow(device, file, place)
        finally:
            device.close()

    def grow(self, volume_id: str, file: Path) -> None:
        """Lets servers that have the volume see that its file became larger."""
        if volume_id in self._users and self._can_mount:
            device = _Loop(self._devices[volume_id])
            try:
                _grow(device, file, self._folder / volume_id)
            finally:
                device.close()

    def flush(self, volume_id: str) -> None:
        """What servers have written to the volume is in its file afterwards."""
        if volume_id in self._users and self._can_mount:
            flush(self._folder / volume_id)

    def close(self, volume_id: str, server: str) -> None:
        users = self._users.get(volume_id, set())
        users.discard(server)
        if not users:
            self._users.pop(volume_id, None)
            self._devices.pop(volume_id, None)
            if self._can_mount:
                self._unmount(self._folder / volume_id)

    def _unmount(self, place: Path) -> None:
        """Whoever gets the volume next has it alone: a server may still have files of it open, and keeps none."""
        with suppress(OSError):
            folder = beneath.open_folder(place)
            try:
                umount(str(place))
                # Never the file system of the host itself.
                if os.fstat(folder).st_dev != os.stat(self._folder).st_dev:
                    shut_down(folder)
            finally:
                os.close(folder)
        with suppress(OSError):
            place.rmdir()

    def forget(self) -> None:
        """Removes what belonged to volumes that are gone."""
        forget_gone(self._folder, frozenset(self._users))


class _Loop:
    """A block device of a file, there for as long as somebody has it open or mounted."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fd = os.open(f"/dev/{name}", os.O_RDWR | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self.fd)


def _grow(device: _Loop, file: Path, place: Path) -> None:
    """One that cannot be grown now is when it is attached the next time."""
    try:
        if has_room(file):
            grow_in_use(device.fd, place)
    except OSError as error:
        log.warning("The file system of the volume %s cannot be made larger: %s", place.name, error)


def _device_of(file: Path) -> _Loop | None:
    """One whose file it is: the kernel takes its time to let go of those that nobody uses."""
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):
            if backing.read_text().strip() == str(file):
                return _Loop(backing.parts[3])
    return None


def _new_device(file: Path) -> _Loop:
    with open(file, "r+b") as content, open(_LOOP_CONTROL, "r+b", buffering=0) as control:
        for _ in range(16):
            device = _Loop(f"loop{fcntl.ioctl(control, _GET_FREE)}")
            name = str(file).encode()[:63]
            information = struct.pack(
                "=QQQQQIIII64s64s32s16s", 0, 0, 0, 0, 0, 0, 0, 0, _CLEAR_WHEN_CLOSED, name, b"", b"", b""
            )
            config = struct.pack("=II", content.fileno(), 0) + information + bytes(64)
            try:
                fcntl.ioctl(device.fd, _CONFIGURE, config)
            except OSError:
                # Somebody else took it.
                device.close()
                continue
            return device
    raise MachineryFailed("there is no free block device for the volume")


def hang_in(tree: int, process: int, name: str, ids: Ids) -> None:
    """Puts a mount that is nowhere yet into a running server."""

    def work() -> None:
        with _mounts_of(process) as top, beneath.made(top, f"{VOLUMES_AT}/{name}", ids.first) as place:
            syscalls.move_in(tree, place)

    _elsewhere(work, f"volume cannot be shown at /{VOLUMES_AT}/{name}")


def take_out(tree: int, process: int) -> None:
    """Takes such a mount away, wherever the server has put it meanwhile."""

    def work() -> None:
        with _mounts_of(process):
            syscalls.umount_open(tree)

    _elsewhere(work, "volume cannot be taken away")


@contextmanager
def _mounts_of(process: int) -> Iterator[int]:
    """Enters the mount namespace of a server for good; its root."""
    with open(f"/proc/{process}/ns/mnt") as namespace:
        syscalls.setns(namespace.fileno(), NEWNS)
    top = beneath.open_folder(Path("/"))
    try:
        yield top
    finally:
        os.close(top)


def _elsewhere(work: syscalls.Work, what: str) -> None:
    problem = syscalls.in_child(work)
    if problem is not None:
        raise MachineryFailed(f"{what}: {problem}")
