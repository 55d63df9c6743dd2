"""Unpacks uploaded tarballs as root file systems of servers.

This is done by a child process that is confined to the target folder, with limits for time and data, and checks of the
free disk space.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from calor.localcloud.backend import BackendError
from calor.localcloud.linux import safe_paths, syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.entry import confine_to, user_namespace

HOST_USR_MARK = ("etc", "usr-is-of-the-host")
"""The folder and name of a file which marks a tarball whose /usr has only what differs from the host's."""

_MAX_SECONDS = 900
_MAX_READ = 64 << 30
"""Uncompressed bytes, counted again whenever they are read again."""
_MOST_ENTRIES = 1_000_000
"""Each is a file of the host, and takes a moment."""
_NICENESS = 10
_MIN_FREE_BYTES = 256 << 20
_MIN_FREE_FILES = 10_000
_MIN_FILE_SIZE = 4096
"""The least disk space of a file."""
_CHECK_INTERVAL = 64 << 20
"""Bytes to unpack between checks of the free disk space."""


class _Content(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def seek(self, place: int, /) -> int: ...
    def tell(self) -> int: ...


_DECOMPRESSORS: dict[bytes, Callable[[BinaryIO], _Content]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"\x5d\0\0": lzma.LZMAFile,
}
"""By magic number."""


def unpack(archive: Path, target: Path, ids: Ids) -> None:
    """Unpacks an archive into a new folder; a /usr that belongs above the host's is moved beside it. Only for a child
    process."""
    target.mkdir(mode=0o755, parents=True)
    os.chown(target, ids.first, ids.first)
    namespace = user_namespace(ids)
    with open(archive, "rb") as packed:

        def work() -> None:
            os.nice(_NICENESS)
            confine_to(target, namespace)
            with tarfile.open(fileobj=io.BufferedReader(_Metered(_decompress(packed))), mode="r:") as content:
                _extract(content, ids)

        problem = syscalls.run_in_child(work, [namespace, packed.fileno()], _MAX_SECONDS)
    if problem is not None:
        raise BackendError(f"the image cannot be unpacked: {problem}")
    _separate_usr(target, ids)


def _decompress(packed: BinaryIO) -> _Content:
    first = packed.read(8)
    packed.seek(0)
    for beginning, opened_by in _DECOMPRESSORS.items():
        if first.startswith(beginning):
            return opened_by(packed)
    return packed


class _Metered(io.RawIOBase):
    """Limits how much is read from a file. Skipped data counts, since it is uncompressed too."""

    def __init__(self, content: _Content) -> None:
        self._content = content
        self._left = _MAX_READ

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._content.read(len(buffer))
        self._count(len(data))
        buffer[: len(data)] = data
        return len(data)

    def tell(self) -> int:
        return self._content.tell()

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_CUR:
            place += self.tell()
        before = self.tell()
        # Seeking backwards uncompresses from the start.
        self._count(place - before if place >= before else place)
        return self._content.seek(place)

    def _count(self, read: int) -> None:
        self._left -= read
        if self._left < 0:
            raise OSError("it is too large")


def _extract(content: tarfile.TarFile, ids: Ids) -> None:
    # The process is confined: the archive can harm only its own files.
    content.extraction_filter = lambda member, path: member
    unseen, largest = _CHECK_INTERVAL, 0
    for number, entry in enumerate(content):
        if number >= _MOST_ENTRIES:
            raise OSError(f"it has more than {_MOST_ENTRIES} entries")
        if entry.isdev() or entry.name.strip("./") == "":
            continue
        size = data_in(entry)
        largest = max(largest, size)
        # A link to a missing file is extracted as a copy.
        unseen += _MIN_FILE_SIZE + (largest if entry.islnk() or entry.issym() else size)
        if unseen >= _CHECK_INTERVAL:
            _check_room(unseen - _CHECK_INTERVAL)
            unseen = 0
        entry.uname = entry.gname = ""
        if max(entry.uid, entry.gid) >= ids.count:
            entry.uid = entry.gid = 0
        content.extract(entry, "/", numeric_owner=True)


def data_in(entry: tarfile.TarInfo) -> int:
    """The bytes that are written for an entry, without holes. Sizes in archives may be negative."""
    if entry.issparse():
        # Pairs of an offset and a length; typeshed declares another type.
        return sum(max(0, length) for _, length in entry.sparse)  # type: ignore[misc, union-attr]
    return max(0, entry.size)


def _check_room(wanted: int) -> None:
    found = os.statvfs("/")
    # Some file systems do not count their files.
    has_files = not found.f_files or found.f_favail >= _MIN_FREE_FILES
    if found.f_bavail * found.f_frsize - wanted < _MIN_FREE_BYTES or not has_files:
        raise OSError("there is not enough free disk space for the image")


def _separate_usr(target: Path, ids: Ids) -> None:
    """Moves a marked /usr out of an unpacked root. It becomes an overlay layer, whose path the kernel follows: it must
    not be a link from the archive."""
    folder, mark = HOST_USR_MARK
    root = safe_paths.open_folder(target)
    above = safe_paths.open_folder(target.parent)
    try:
        with safe_paths.open_existing(root, folder) as marked:
            if marked is None or not _is_file(marked, mark):
                return
        with (
            safe_paths.open_or_create(root, "usr", ids.first) as usr,
            safe_paths.open_or_create(usr, "local", ids.first),
        ):
            os.rename("usr", "usr", src_dir_fd=root, dst_dir_fd=above)
        with safe_paths.open_or_create(root, "usr", ids.first):
            pass
    finally:
        os.close(root)
        os.close(above)


def _is_file(folder: int, name: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
