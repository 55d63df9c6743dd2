"""ext4 file systems of volumes: checked, grown, and flushed to their files.

A mounted file system is grown by the kernel, an unmounted one by e2fsprogs.
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
from pathlib import Path
from uuid import UUID

from calor.localcloud.linux import syscalls
from calor.localcloud.provenance import is_made_here

_SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

_SET_CAPACITY = 0x4C07
_RESIZE_EXT4 = 0x40086610
_SHUT_DOWN_EXT4 = 0x8004587D
_WITH_JOURNAL = 1
_SUPERBLOCK, _SUPERBLOCK_LENGTH = 1024, 1024
_MAGIC, _64_BIT = 0xEF53, 0x80
_PANICS, _EXTERNAL_JOURNAL = 3, 0x8
_MIN_GROWTH = 16 << 20
"""Bytes at the end of a file below which growing is not worth it."""


def flush(place: Path) -> None:
    """Flushes a mounted file system to its device."""
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syscalls.sync_file_system(folder)
    finally:
        os.close(folder)


def shut_down(folder: int) -> None:
    """Shuts down a file system that was flushed: open files become unusable, and what was written to them since is
    dropped. Raises OSError."""
    fcntl.ioctl(folder, _SHUT_DOWN_EXT4, struct.pack("=I", _WITH_JOURNAL))


def has_room(file: int) -> bool:
    """Whether an open file is larger than the ext4 in it."""
    used = ext4_size(os.pread(file, _SUPERBLOCK_LENGTH, _SUPERBLOCK))
    return used is not None and os.fstat(file).st_size - used >= _MIN_GROWTH


def ext4_size(superblock: bytes) -> int | None:
    """The size of an ext4 in bytes; None for anything else."""
    if len(superblock) < _SUPERBLOCK_LENGTH or struct.unpack_from("<H", superblock, 56)[0] != _MAGIC:
        return None
    [blocks] = struct.unpack_from("<I", superblock, 4)
    [magnitude] = struct.unpack_from("<I", superblock, 24)
    if struct.unpack_from("<I", superblock, 96)[0] & _64_BIT:
        blocks |= struct.unpack_from("<I", superblock, 336)[0] << 32
    return int(blocks << (10 + min(magnitude, 6)))


def file_system_uuid(path: Path) -> str | None:
    """The UUID of the ext4 in a file; None if it has none."""
    with open(path, "rb") as file:
        superblock = os.pread(file.fileno(), _SUPERBLOCK_LENGTH, _SUPERBLOCK)
    return None if ext4_size(superblock) is None else str(UUID(bytes=superblock[104:120]))


def trust_problem(file: int) -> str | None:
    """The reason why the file system in an open file must not be mounted, if there is one."""
    if not is_made_here(file):
        return "it was not created by this cloud"
    superblock = os.pread(file, _SUPERBLOCK_LENGTH, _SUPERBLOCK)
    if ext4_size(superblock) is None:
        return "it is not an ext4 file system"
    if struct.unpack_from("<H", superblock, 60)[0] == _PANICS:
        return "it is configured to panic on errors"
    if any(superblock[512:576]):
        return "it has default mount options"
    if struct.unpack_from("<I", superblock, 96)[0] & _EXTERNAL_JOURNAL:
        return "its journal is on another device"
    return None


def grow_unmounted(file: int) -> None:
    """For an open file that is not mounted. Raises OSError or SubprocessError."""
    checked = run_tool(file, "e2fsck", "-f", "-p")
    # 1: errors were corrected.
    if checked.returncode > 1:
        raise OSError(f"e2fsck: {(checked.stdout + checked.stderr).strip()[-500:]}")
    run_tool(file, "resize2fs").check_returncode()


def run_tool(file: int, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a program on an open file, even if its path leads to another one by now."""
    return subprocess.run(
        [*command, f"/proc/self/fd/{file}"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": _SYSTEM_PATH},
        pass_fds=(file,),
    )


def grow_mounted(device: int, place: Path) -> None:
    """Grows a loop device to the size of its file, and the mounted file system to the size of the device. Raises
    OSError."""
    fcntl.ioctl(device, _SET_CAPACITY)
    blocks = os.lseek(device, 0, os.SEEK_END) // os.statvfs(place).f_bsize
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(folder, _RESIZE_EXT4, struct.pack("=Q", blocks))
    finally:
        os.close(folder)
