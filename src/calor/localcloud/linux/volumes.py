"""Volumes of servers: file systems mounted by the holder, which servers see at /mnt/DEVICE.

Servers cannot mount: they ask the holder for further mounts. As root, the file of a volume is a loop device with an
ext4; without, each volume is a folder.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path

from calor.localcloud.backend import BackendError, VolumePlan
from calor.localcloud.linux import safe_paths, syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.devices import Device, Nodes, hide, show
from calor.localcloud.linux.ext4 import (
    flush,
    grow_mounted,
    grow_unmounted,
    has_room,
    run_tool,
    shut_down,
    trust_problem,
)
from calor.localcloud.linux.loops import Loop, device_of, new_device
from calor.localcloud.linux.roots import mark, remove_orphaned
from calor.localcloud.linux.syscalls import MS_NODEV, MS_NOSUID, NEWNS, mount, start_child, umount
from calor.localcloud.provenance import is_blank, mark_as_made_here

log = logging.getLogger("calor.localcloud")

VOLUMES_AT = "mnt"
_MOUNT_SECONDS = 10
"""Mounting in a server, whose folders may be as it likes, must not keep the holder for longer."""
_RELEASE_SECONDS = 1.0
"""How long to wait until the kernel releases an unused device."""


_NAME = re.compile(r"[a-z]{1,16}[0-9]{0,4}")
_RESERVED = ("config",)
_TAKEN = frozenset(
    {
        "console",
        "disk",
        "fd",
        "full",
        "null",
        "ptmx",
        "pts",
        "random",
        "shm",
        "stderr",
        "stdin",
        "stdout",
        "tty",
    }
    | {"urandom", "zero"}
)
"""What else there is in /dev."""
_NOT_HIDDEN = frozenset({"dev", "proc", "run", "sys"})
"""Folders in whose mounts the holder trusts."""
_LONGEST_PATH = 1024


def mount_name(volume: VolumePlan) -> str:
    """The name of the mount point: that of the device, if it is a safe file name."""
    name = volume.device.removeprefix("/dev/")
    return name if _NAME.fullmatch(name) and name not in _RESERVED else f"volume-{volume.id}"


def device_name(volume: VolumePlan) -> str | None:
    """The name of its device in /dev, unless that is not a safe file name or taken by something else."""
    name = mount_name(volume)
    return name if _NAME.fullmatch(name) and name not in _TAKEN else None


def prepare_volume(volume: VolumePlan, owner: int) -> None:
    """Creates a file system on a blank volume, owned by the root of servers, and grows that of an extended one. Raises
    BackendError for a file system that was not created here, since the kernel trusts what it mounts."""
    with open(volume.file, "r+b") as content:
        file = content.fileno()
        if not is_blank(file):
            check_trust(volume.id, file)
            _grow_unused(volume.file, file)
            return
        options = f"root_owner={owner}:{owner},lazy_itable_init=1"
        try:
            mark_as_made_here(file)
            run_tool(file, "mkfs.ext4", "-q", "-F", "-e", "remount-ro", "-E", options).check_returncode()
        except (OSError, subprocess.CalledProcessError) as error:
            raise BackendError(f"cannot create a file system on the volume: {error}") from None


def check_trust(volume_id: str, file: int) -> None:
    """Raises BackendError if the file system of a volume was not created here."""
    problem = trust_problem(file)
    if problem is not None:
        raise BackendError(f"the file system of volume {volume_id} cannot be mounted: {problem}")


def _grow_unused(path: Path, file: int) -> None:
    """Failures are logged: the volume can still be used."""
    if not has_room(file):
        return
    deadline = time.monotonic() + _RELEASE_SECONDS
    while (device := device_of(path)) is not None:
        device.close()
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)
    try:
        grow_unmounted(file)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("Cannot grow the file system of volume %s: %s", path.name, error)


@dataclass(frozen=True)
class _Mounted:
    device: str
    """The name of its loop device. A file may have an older one, held open by a process of a server that the volume was
    detached from."""
    file: tuple[int, int]
    """The device and inode of its file, which may be replaced when the volume is not in use."""


class Volumes:
    """The volumes in use, each mounted in the mount namespace of the holder.

    What servers have written is written back by child processes, since nobody else must wait for it. Until then a
    volume stays mounted."""

    def __init__(self, folder: Path, can_mount: bool) -> None:
        self._folder = folder
        self._can_mount = can_mount
        self.nodes = Nodes(folder.parent / "devices", can_mount)
        self._users: dict[str, set[str]] = {}
        self._mounted: dict[str, _Mounted] = {}
        self._writing: dict[int, str] = {}
        """Child processes that write back volumes."""
        self._waiting: list[tuple[set[str], Callable[[], None]]] = []

    def open(self, volume: VolumePlan, server: str) -> Path:
        place = self.place(volume.id)
        if not self._can_mount:
            place.mkdir(mode=0o755, parents=True, exist_ok=True)
            mark(self._folder / volume.id, volume.file)
        else:
            mounted = self._mounted.get(volume.id)
            if (
                mounted is not None
                and volume.id not in self._users
                and mounted.file != _identity(volume.file)
            ):
                self._finish(volume.id)
            if volume.id not in self._mounted:
                place.mkdir(parents=True, exist_ok=True)
                self._mount(volume, place)
        self._users.setdefault(volume.id, set()).add(server)
        return place

    def place(self, volume_id: str) -> Path:
        """Where its content is."""
        return self._folder / volume_id if self._can_mount else self._folder / volume_id / "content"

    def _mount(self, volume: VolumePlan, place: Path) -> None:
        with open(volume.file, "r+b") as content:
            file = content.fileno()
            check_trust(volume.id, file)
            device = new_device(file, volume.file)
            try:
                mount(f"/dev/{device.name}", str(place), "ext4", MS_NOSUID | MS_NODEV, "errors=remount-ro")
                self._mounted[volume.id] = _Mounted(device.name, _identity(volume.file))
                _grow(device, file, place)
            finally:
                device.close()

    def grow(self, volume_id: str, file: Path) -> None:
        """Grows the mounted file system of a volume whose file was extended."""
        mounted = self._mounted.get(volume_id)
        if mounted is not None:
            device = Loop(mounted.device)
            try:
                with open(file, "rb") as content:
                    _grow(device, content.fileno(), self._folder / volume_id)
            finally:
                device.close()

    def flush(self, volume_id: str) -> None:
        """Writes everything that servers have written to the file of the volume."""
        if volume_id in self._mounted:
            flush(self._folder / volume_id)

    def close(self, volume_id: str, server: str) -> None:
        """The last user's data is written back later: see `when_written`."""
        users = self._users.get(volume_id, set())
        users.discard(server)
        if not users:
            self._users.pop(volume_id, None)
            if volume_id in self._mounted:
                self._writing[start_child(lambda: self.flush(volume_id))] = volume_id

    def when_written(self, volume_ids: Iterable[str], then: Callable[[], None]) -> None:
        """Calls `then` when these volumes have been written back."""
        pending = set(volume_ids) & set(self._writing.values())
        if pending:
            self._waiting.append((pending, then))
        else:
            then()

    def on_process_exit(self, process: int) -> bool:
        """Returns whether the child process is known here."""
        volume_id = self._writing.pop(process, None)
        if volume_id is None:
            return False
        if volume_id in self._writing.values():
            return True
        # Another server may use it by now.
        if volume_id not in self._users and self._mounted.pop(volume_id, None) is not None:
            self._unmount(self._folder / volume_id)
        for pending, _ in self._waiting:
            pending.discard(volume_id)
        ready = [then for pending, then in self._waiting if not pending]
        self._waiting = [one for one in self._waiting if one[0]]
        for then in ready:
            then()
        return True

    def _finish(self, volume_id: str) -> None:
        for process in [one for one, written in self._writing.items() if written == volume_id]:
            os.waitpid(process, 0)
            self.on_process_exit(process)

    def finish(self) -> None:
        """Waits until everything is written back."""
        for volume_id in set(self._writing.values()):
            self._finish(volume_id)

    def _unmount(self, place: Path) -> None:
        """Shuts the file system down, so that files which the server still has open become unusable."""
        with suppress(OSError):
            folder = safe_paths.open_folder(place)
            try:
                umount(str(place))
                # Never shut down the file system of the host.
                if os.fstat(folder).st_dev != os.stat(self._folder).st_dev:
                    shut_down(folder)
            finally:
                os.close(folder)
        with suppress(OSError):
            place.rmdir()

    def remove_orphaned(self) -> None:
        """Removes the folders of volumes that no longer exist."""
        remove_orphaned(self._folder, frozenset(self._users))


def _identity(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_dev, found.st_ino


def _grow(device: Loop, file: int, place: Path) -> None:
    """Failures are logged: it is tried again when the volume is attached the next time."""
    try:
        if has_room(file):
            grow_mounted(device.fd, place)
    except OSError as error:
        log.warning("Cannot grow the file system of volume %s: %s", place.name, error)


def attach_mount(tree: int, process: int, name: str, ids: Ids) -> None:
    """Attaches a detached mount in a running server."""

    def work() -> None:
        with (
            _mounts_of(process) as top,
            safe_paths.open_or_create(top, f"{VOLUMES_AT}/{name}", ids.first) as place,
        ):
            syscalls.move_mount(tree, place)

    _run_in_child(work, f"cannot mount the volume at /{VOLUMES_AT}/{name}")


def mount_at(tree: int, process: int, path: str) -> None:
    """Attaches a detached mount at an existing folder of a running server. Links in the path are not followed."""
    parts = path.strip("/").split("/")
    if not path.startswith("/") or parts[0] in _NOT_HIDDEN or len(path) > _LONGEST_PATH:
        raise BackendError(f"nothing can be mounted at {path[:_LONGEST_PATH]}")
    if not all(part not in ("", ".", "..") for part in parts):
        raise BackendError("the mount point is not a full path without links")

    def work() -> None:
        with _mounts_of(process) as top, safe_paths.open_existing(top, "/".join(parts)) as place:
            if place is None:
                raise OSError("there is no such folder")
            syscalls.move_mount(tree, place)

    _run_in_child(work, "cannot mount the volume")


def show_device(device: Device, process: int, ids: Ids) -> None:
    """Shows the device of a volume in a running server."""

    def work() -> None:
        with _dev_of(process) as dev:
            show(dev, device, ids.first)

    _run_in_child(work, f"cannot show the volume at /dev/{device.name}")


def hide_device(device: Device, process: int) -> None:
    def work() -> None:
        with _dev_of(process) as dev:
            hide(dev, device)

    _run_in_child(work, f"cannot remove /dev/{device.name}")


def detach_mount(tree: int, process: int) -> None:
    """Unmounts it, wherever the server has moved it."""

    def work() -> None:
        with _mounts_of(process):
            try:
                syscalls.umount_tree(tree)
            except OSError as error:
                # It was below another volume, and went with that.
                if error.errno != EINVAL:
                    raise

    _run_in_child(work, "cannot unmount the volume")


@contextmanager
def _mounts_of(process: int) -> Iterator[int]:
    """Enters the mount namespace of a server for good; yields its root folder."""
    with open(f"/proc/{process}/ns/mnt") as namespace:
        syscalls.disable_imports()
        syscalls.setns(namespace.fileno(), NEWNS)
    top = safe_paths.open_folder(Path("/"))
    try:
        yield top
    finally:
        os.close(top)


@contextmanager
def _dev_of(process: int) -> Iterator[int]:
    """Enters the mount namespace of a server for good; yields its /dev."""
    with _mounts_of(process) as top, safe_paths.open_existing(top, "dev") as dev:
        if dev is None:
            raise OSError("there is no /dev")
        yield dev


def _run_in_child(work: syscalls.Work, what: str) -> None:
    problem = syscalls.run_in_child(work, seconds=_MOUNT_SECONDS)
    if problem is not None:
        raise BackendError(f"{what}: {problem}")
