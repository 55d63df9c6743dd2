"""Writes a file system as a tarball, while a server may be changing it.

Entries that change their type meanwhile are skipped, and files that shrink are padded. Sparse files stay sparse.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Collection
from errno import EINVAL, ELOOP, ENOENT, ENOTDIR, ENXIO

from calor.localcloud.linux.safe_paths import open_child

_MOST_LEVELS = 400
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHANGED = frozenset({ENOENT, ELOOP, ENOTDIR, EINVAL, ENXIO})
"""The error codes for an entry that has changed meanwhile."""
_PADDED_TO = 512

Segment = tuple[int, int]
"""The offset and length of data in a sparse file."""


class Archiver:
    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._linked: dict[tuple[int, int], str] = {}
        """The first names of files with several links, by device and inode."""

    def add(self, folder: int, name: str, left_out: Collection[str] = (), levels: int = _MOST_LEVELS) -> None:
        """Adds a folder under a name (empty for the root), without some of the names in it."""
        if levels == 0:
            raise OSError("the folders are nested too deeply")
        if name:
            self._put(name, os.fstat(folder), tarfile.DIRTYPE)
        for inner in sorted(os.listdir(folder)):
            if inner not in left_out:
                path = f"{name}/{inner}" if name else inner
                try:
                    self._add_one(folder, inner, path, levels)
                except OSError as error:
                    if error.errno not in _CHANGED:
                        raise

    def _add_one(self, folder: int, name: str, path: str, levels: int) -> None:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode):
            inner = open_child(folder, name)
            try:
                self.add(inner, path, (), levels - 1)
            finally:
                os.close(inner)
        elif stat.S_ISLNK(found.st_mode):
            self._put(path, found, tarfile.SYMTYPE, os.readlink(name, dir_fd=folder))
        elif stat.S_ISREG(found.st_mode):
            file = os.open(name, _FILE, dir_fd=folder)
            try:
                self._add_file(file, path)
            finally:
                os.close(file)
        # ServerPorts and pipes cannot be kept; devices are nodes that only overlays understand.

    def _add_file(self, file: int, path: str) -> None:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return
        key = found.st_dev, found.st_ino
        if found.st_nlink > 1 and key in self._linked:
            self._put(path, found, tarfile.LNKTYPE, self._linked[key])
            return
        if found.st_nlink > 1:
            self._linked[key] = path
        if found.st_blocks * 512 >= found.st_size:
            self._put(path, found, tarfile.REGTYPE, content=_Content(file, b"", [(0, found.st_size)]))
            return
        content = _Content(file, *_with_map(_segments(file, found.st_size), found.st_size))
        headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": path,
            "GNU.sparse.realsize": str(found.st_size),
        }
        self._put(path, found, tarfile.REGTYPE, content=content, headers=headers)

    def _put(
        self,
        path: str,
        found: os.stat_result,
        kind: bytes,
        target: str = "",
        content: _Content | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        entry = tarfile.TarInfo(path)
        entry.type, entry.linkname = kind, target
        entry.mode, entry.mtime = stat.S_IMODE(found.st_mode), found.st_mtime
        entry.uid, entry.gid = found.st_uid, found.st_gid
        entry.pax_headers = headers or {}
        entry.size = content.size if content is not None else 0
        self._archive.addfile(entry, content)  # type: ignore[arg-type]
        # It remembers all entries, for programs that ask for them later.
        self._archive.getmembers().clear()


def _segments(file: int, size: int) -> list[Segment]:
    found = []
    place = 0
    while place < size:
        try:
            start = os.lseek(file, place, os.SEEK_DATA)
            place = min(os.lseek(file, start, os.SEEK_HOLE), size)
        except OSError:
            # No data follows.
            break
        if start < place:
            found.append((start, place - start))
    return found


def _with_map(segments: list[Segment], size: int) -> tuple[bytes, list[Segment]]:
    """The map of a sparse file, which precedes its data in the archive."""
    listed = [*segments, (size, 0)]
    numbers = [len(listed), *(number for segment in listed for number in segment)]
    encoded = "".join(f"{number}\n" for number in numbers).encode()
    return encoded + bytes(-len(encoded) % _PADDED_TO), segments


class _Content:
    """Reads exactly the expected number of bytes, even if the file shrinks meanwhile."""

    def __init__(self, file: int, before: bytes, segments: list[Segment]) -> None:
        self.size = len(before) + sum(length for _, length in segments)
        self._file = file
        self._before = before
        self._segments = segments[::-1]

    def read(self, size: int) -> bytes:
        parts = []
        while size and (part := self._next(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _next(self, size: int) -> bytes:
        if self._before:
            part, self._before = self._before[:size], self._before[size:]
            return part
        if not self._segments:
            return b""
        start, length = self._segments.pop()
        wanted = min(size, length)
        part = os.pread(self._file, wanted, start) or bytes(wanted)
        if len(part) < length:
            self._segments.append((start + len(part), length - len(part)))
        return part
