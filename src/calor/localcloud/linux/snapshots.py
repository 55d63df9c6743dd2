"""Writes root file systems of servers as tarballs.

This is done by a child process that is confined to the root file system.
"""

from __future__ import annotations

# Imported here since the confined process cannot import modules.
import gzip  # noqa: F401
import io
import os
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from calor.localcloud.backend import BackendError
from calor.localcloud.linux import safe_paths, syscalls
from calor.localcloud.linux.archiving import Archiver
from calor.localcloud.linux.entry import confine_to, user_namespace
from calor.localcloud.linux.rootfs import Disk
from calor.localcloud.linux.servers import ServerDefaults
from calor.localcloud.linux.syscalls import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    NEWNS,
    mount,
)
from calor.localcloud.linux.unpacking import HOST_USR_MARK

_LEFT_OUT = frozenset({"proc", "sys", "dev", "run", "usr", "mnt"})


_MAX_SECONDS = 900
_MIN_FREE_BYTES = 256 << 20
_CHECK_INTERVAL = 16 << 20
"""Bytes to write between checks of the free disk space."""
_NICENESS = 10


@dataclass(frozen=True)
class Snapshot:
    disk: Path
    layers: tuple[Path, ...]
    usr_layers: tuple[Path, ...]
    has_host_usr: bool
    target: Path


def write_snapshot(snapshot: Snapshot, means: ServerDefaults) -> None:
    """Only for a child process."""
    disk = Disk(snapshot.disk)
    partial = snapshot.target.with_name(snapshot.target.name + ".partial")
    syscalls.unshare(NEWNS)
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    below = ":".join(str(layer) for layer in (disk.upper, *snapshot.layers))
    options = f"lowerdir={below}{means.overlay_options}"
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("overlay", str(disk.mount_point), "overlay", flags, options)
    root = safe_paths.open_folder(disk.mount_point)
    # Later ones have precedence.
    usr = [*reversed(snapshot.usr_layers), disk.usr_upper] if snapshot.has_host_usr else []
    upon = [(safe_paths.open_folder(layer), "usr") for layer in usr]
    if snapshot.has_host_usr:
        upon.append((safe_paths.open_folder(disk.local), "usr/local"))
    namespace = user_namespace(means.ids)
    with open(partial, "wb") as target:

        def work() -> None:
            os.nice(_NICENESS)
            confine_to(disk.mount_point, namespace)
            with tarfile.open(fileobj=_Metered(target), mode="w:gz", compresslevel=1) as archive:
                archiver = Archiver(archive)
                archiver.add(root, "", _LEFT_OUT if snapshot.has_host_usr else _LEFT_OUT - {"usr"})
                for folder, name in upon:
                    archiver.add(folder, name)
                if snapshot.has_host_usr:
                    archive.addfile(tarfile.TarInfo("/".join(HOST_USR_MARK)))
            target.flush()

        problem = syscalls.run_in_child(
            work, [root, namespace, target.fileno(), *(folder for folder, _ in upon)], _MAX_SECONDS
        )
    if problem is not None:
        partial.unlink()
        raise BackendError(f"the snapshot cannot be written: {problem}")
    partial.rename(snapshot.target)


class _Metered(io.RawIOBase):
    """Stops when the disk is nearly full."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._unchecked = _CHECK_INTERVAL

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._unchecked += len(data)
        if self._unchecked >= _CHECK_INTERVAL:
            found = os.fstatvfs(self._target.fileno())
            if found.f_bavail * found.f_frsize < _MIN_FREE_BYTES:
                raise OSError("there is not enough free disk space")
            self._unchecked = 0
        return self._target.write(data)

    def tell(self) -> int:
        return self._target.tell()
