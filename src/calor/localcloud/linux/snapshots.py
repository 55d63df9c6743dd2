"""Root file systems as tarballs: written from servers, and unpacked as images.

Both are done as the root of servers, in a place from which nothing else can be reached.
"""

from __future__ import annotations

# Archives are opened where nothing more can be imported.
import bz2  # noqa: F401
import gzip  # noqa: F401
import lzma  # noqa: F401
import os
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.linux import syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.entry import user_namespace
from calor.localcloud.linux.rootfs import Disk
from calor.localcloud.linux.servers import Means
from calor.localcloud.linux.syscalls import MS_PRIVATE, MS_RDONLY, MS_REC, NEWNS, NEWUSER, mount

HOST_USR_MARK = "etc/usr-is-of-the-host"
"""In a tarball whose /usr is only what lies above the host's."""

_LEFT_OUT = frozenset({"proc", "sys", "dev", "run", "usr", "mnt"})


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
    mount("overlay", str(disk.mount_point), "overlay", MS_RDONLY, options)
    with tarfile.open(partial, "w:gz", compresslevel=1) as archive:

        def add(file: Path, name: str) -> None:
            entry = archive.gettarinfo(str(file), name)
            # Sockets cannot be kept; devices are nodes that only overlays understand.
            if entry is None or entry.isdev():
                return
            entry.uid = max(entry.uid - means.ids.first, 0)
            entry.gid = max(entry.gid - means.ids.first, 0)
            entry.uname = entry.gname = ""
            if entry.isreg():
                with open(file, "rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)

        left_out = _LEFT_OUT if snapshot.has_host_usr else _LEFT_OUT - {"usr"}
        for file, name in _walk(disk.mount_point, "", left_out):
            add(file, name)
        if snapshot.has_host_usr:
            # What comes later lies above.
            for layer in (*reversed(snapshot.usr_layers), disk.usr_upper):
                for file, name in _walk(layer, "usr", frozenset()):
                    add(file, name)
            for file, name in _walk(disk.local, "usr/local", frozenset()):
                add(file, name)
            archive.addfile(tarfile.TarInfo(HOST_USR_MARK))
    partial.rename(snapshot.target)


def _walk(folder: Path, name: str, left_out: frozenset[str]) -> Iterator[tuple[Path, str]]:
    """Files and folders below one, each with its name in the archive; `left_out` are names right below it."""
    if name:
        yield folder, name
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name in left_out:
            continue
        inner = f"{name}/{entry.name}" if name else entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), inner, frozenset())
        else:
            yield Path(entry.path), inner


def unpack(archive: Path, target: Path, ids: Ids) -> None:
    """Unpacks what somebody has made into a new folder. Only in a process that does nothing else."""
    target.mkdir(mode=0o755, parents=True)
    os.chown(target, ids.first, ids.first)
    namespace = user_namespace(ids)
    with open(archive, "rb") as packed:
        os.chroot(target)
        os.chdir("/")
        syscalls.setns(namespace, NEWUSER)
        with suppress(PermissionError):
            os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        with tarfile.open(fileobj=packed) as content:
            for entry in content:
                if entry.isdev() or entry.name.strip("./") == "":
                    continue
                entry.uname = entry.gname = ""
                if max(entry.uid, entry.gid) >= ids.count:
                    entry.uid = entry.gid = 0
                content.extract(entry, "/", numeric_owner=True)
