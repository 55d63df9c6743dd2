"""Volumes that became larger, and what has been written to those in use brought to their files.

A file system in use is grown by the kernel, for whom it trusts with resources; one that is not, by the programs that
come with mkfs.
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
from pathlib import Path

from calor.localcloud.linux import syscalls

SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

_SET_CAPACITY = 0x4C07
_RESIZE_EXT4 = 0x40086610
_SHUT_DOWN_EXT4 = 0x8004587D
_SUPERBLOCK, _SUPERBLOCK_LENGTH = 1024, 1024
_MAGIC, _64_BIT = 0xEF53, 0x80
_PANICS, _EXTERNAL_JOURNAL = 3, 0x8
_LEFT_OVER = 16 << 20
"""Bytes at the end that may be too few to be worth a part of the file system."""


def flush(place: Path) -> None:
    """Returns when all that was written to a file system is in its device."""
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syscalls.sync_file_system(folder)
    finally:
        os.close(folder)


def shut_down(folder: int) -> None:
    """Brings a file system to its device and ends it for good, also for those who still have files of it open. Raises
    OSError."""
    syscalls.sync_file_system(folder)
    fcntl.ioctl(folder, _SHUT_DOWN_EXT4, struct.pack("=I", 0))


def has_room(file: Path) -> bool:
    """Whether a file with an ext4 has become larger than that."""
    with open(file, "rb") as content:
        content.seek(_SUPERBLOCK)
        used = size_told(content.read(_SUPERBLOCK_LENGTH))
    return used is not None and file.stat().st_size - used >= _LEFT_OVER


def size_told(superblock: bytes) -> int | None:
    """The size of an ext4 in bytes; None for anything else."""
    if len(superblock) < _SUPERBLOCK_LENGTH or struct.unpack_from("<H", superblock, 56)[0] != _MAGIC:
        return None
    [blocks] = struct.unpack_from("<I", superblock, 4)
    [magnitude] = struct.unpack_from("<I", superblock, 24)
    if struct.unpack_from("<I", superblock, 96)[0] & _64_BIT:
        blocks |= struct.unpack_from("<I", superblock, 336)[0] << 32
    return int(blocks << (10 + min(magnitude, 6)))


def distrust(file: Path) -> str | None:
    """Why the file system in a file is not like those that are made here, if so."""
    with open(file, "rb") as content:
        content.seek(_SUPERBLOCK)
        superblock = content.read(_SUPERBLOCK_LENGTH)
    if size_told(superblock) is None:
        return "it is not an ext4"
    if struct.unpack_from("<H", superblock, 60)[0] == _PANICS:
        return "it would stop the machine at its first error"
    if any(superblock[512:576]):
        return "it brings mount options of its own"
    if struct.unpack_from("<I", superblock, 96)[0] & _EXTERNAL_JOURNAL:
        return "its journal is elsewhere"
    return None


def grow_at_rest(file: Path) -> None:
    """For a file that is not mounted. Raises OSError or SubprocessError."""
    checked = _run("e2fsck", "-f", "-p", str(file))
    # One: there was something to put right, and it is.
    if checked.returncode > 1:
        raise OSError(f"e2fsck: {(checked.stdout + checked.stderr).strip()[-500:]}")
    _run("resize2fs", str(file)).check_returncode()


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, capture_output=True, text=True, env={"PATH": SYSTEM_PATH})


def grow_in_use(device: int, place: Path) -> None:
    """Lets a block device have the size of its file, and the file system that is mounted there the size of the device.
    Raises OSError."""
    fcntl.ioctl(device, _SET_CAPACITY)
    blocks = os.lseek(device, 0, os.SEEK_END) // os.statvfs(place).f_bsize
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(folder, _RESIZE_EXT4, struct.pack("=Q", blocks))
    finally:
        os.close(folder)
