"""Root file systems as tarballs: written from servers, and unpacked as images.

Both are done by processes that have nothing else in sight, with the rights over files that the root of servers has.
"""

from __future__ import annotations

# Archives are opened where nothing more can be imported.
import bz2  # noqa: F401
import gzip  # noqa: F401
import lzma  # noqa: F401
import os
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.linux import beneath, syscalls
from calor.localcloud.linux.archiving import Archiver
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.entry import become_server_root, user_namespace
from calor.localcloud.linux.rootfs import Disk
from calor.localcloud.linux.servers import Means
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
from calor.localcloud.machinery import MachineryFailed

HOST_USR_MARK = ("etc", "usr-is-of-the-host")
"""In a tarball whose /usr is only what lies above the host's: a folder, and the name of a file."""

_LEFT_OUT = frozenset({"proc", "sys", "dev", "run", "usr", "mnt"})
_LEAST_LEFT = 256 << 20
"""Bytes that must be left where images are unpacked."""
_LEAST_FILES_LEFT = 10_000
_LEAST_SIZE = 4096
"""What a file takes at least."""
_LOOKED_AFTER = 64 << 20
"""How much may be unpacked before it is looked again."""


@dataclass(frozen=True)
class Snapshot:
    disk: Path
    layers: tuple[Path, ...]
    usr_layers: tuple[Path, ...]
    has_host_usr: bool
    target: Path


def write_snapshot(snapshot: Snapshot, means: Means) -> None:
    """Only in a process that does nothing else."""
    disk = Disk(snapshot.disk)
    partial = snapshot.target.with_name(snapshot.target.name + ".partial")
    syscalls.unshare(NEWNS)
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    below = ":".join(str(layer) for layer in (disk.upper, *snapshot.layers))
    options = f"lowerdir={below}{means.overlay_options}"
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("overlay", str(disk.mount_point), "overlay", flags, options)
    root = beneath.open_folder(disk.mount_point)
    # What comes later lies above.
    usr = [*reversed(snapshot.usr_layers), disk.usr_upper] if snapshot.has_host_usr else []
    upon = [(beneath.open_folder(layer), "usr") for layer in usr]
    if snapshot.has_host_usr:
        upon.append((beneath.open_folder(disk.local), "usr/local"))
    namespace = user_namespace(means.ids)
    with open(partial, "wb") as target:

        def work() -> None:
            become_server_root(disk.mount_point, namespace)
            with tarfile.open(fileobj=target, mode="w:gz", compresslevel=1) as archive:
                archiver = Archiver(archive)
                archiver.add(root, "", _LEFT_OUT if snapshot.has_host_usr else _LEFT_OUT - {"usr"})
                for folder, name in upon:
                    archiver.add(folder, name)
                if snapshot.has_host_usr:
                    archive.addfile(tarfile.TarInfo("/".join(HOST_USR_MARK)))
            target.flush()

        _confined(work, [root, namespace, target.fileno(), *(folder for folder, _ in upon)])
    partial.rename(snapshot.target)


def unpack(archive: Path, target: Path, ids: Ids) -> None:
    """Unpacks what somebody has made into a new folder. What belongs above the host's /usr is in `usr` beside it
    afterwards. Only in a process that does nothing else."""
    target.mkdir(mode=0o755, parents=True)
    os.chown(target, ids.first, ids.first)
    namespace = user_namespace(ids)
    with open(archive, "rb") as packed:

        def work() -> None:
            become_server_root(target, namespace)
            with tarfile.open(fileobj=packed) as content:
                _extract(content, ids)

        _confined(work, [namespace, packed.fileno()])
    _part_from_usr(target, ids)


def _confined(work: syscalls.Work, keep: list[int]) -> None:
    problem = syscalls.in_child(work, keep)
    if problem is not None:
        raise MachineryFailed(problem)


def _extract(content: tarfile.TarFile, ids: Ids) -> None:
    # There is nothing to be reached but what the archive itself has brought.
    content.extraction_filter = lambda member, path: member
    unseen = _LOOKED_AFTER
    for entry in content:
        if entry.isdev() or entry.name.strip("./") == "":
            continue
        unseen += _LEAST_SIZE + (0 if entry.issparse() else entry.size)
        if unseen >= _LOOKED_AFTER:
            _check_room(unseen - _LOOKED_AFTER)
            unseen = 0
        entry.uname = entry.gname = ""
        if max(entry.uid, entry.gid) >= ids.count:
            entry.uid = entry.gid = 0
        content.extract(entry, "/", numeric_owner=True)


def _check_room(wanted: int) -> None:
    found = os.statvfs("/")
    # Some file systems do not count their files.
    has_files = not found.f_files or found.f_favail >= _LEAST_FILES_LEFT
    if found.f_bavail * found.f_frsize - wanted < _LEAST_LEFT or not has_files:
        raise OSError("there is too little room on the disk for the image")


def _part_from_usr(target: Path, ids: Ids) -> None:
    """Moves /usr out of an unpacked root, if that is to lie above the host's. Layers of overlays are paths that the
    kernel follows: none of them may be a link that came with the archive."""
    folder, mark = HOST_USR_MARK
    root = beneath.open_folder(target)
    above = beneath.open_folder(target.parent)
    try:
        with beneath.found(root, folder) as marked:
            if marked is None or not _is_file(marked, mark):
                return
        with beneath.made(root, "usr", ids.first) as usr, beneath.made(usr, "local", ids.first):
            os.rename("usr", "usr", src_dir_fd=root, dst_dir_fd=above)
        with beneath.made(root, "usr", ids.first):
            pass
    finally:
        os.close(root)
        os.close(above)


def _is_file(folder: int, name: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
