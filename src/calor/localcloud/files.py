"""Data in files: received and sent in pieces, hashed, and copied as sparse files.

Small pieces are read and written on the event loop, since the system buffers them; whole files are hashed and copied
in threads.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path

from calor.localcloud.problems import BadRequest, InsufficientStorage, RangeNotSatisfiable
from calor.localcloud.provenance import is_made_here, mark_as_made_here

PIECE = 65_536
_LONGEST_RANGE = 40
"""The maximum number of digits of a range."""
_OUTSIDE = "The requested range is not satisfiable."


_LEAST_LEFT = 256 << 20
"""Bytes that must be left on the disk."""
_CHECKED_EVERY = 64 << 20
"""Bytes to write between checks of the free disk space."""


def check_room(folder: Path, wanted: int = 0) -> None:
    """Raises OSError if the disk would be nearly full."""
    found = os.statvfs(folder)
    if found.f_bavail * found.f_frsize - wanted < _LEAST_LEFT:
        raise OSError(ENOSPC, "there is not enough free disk space")


def _check_for_request(folder: Path) -> None:
    try:
        check_room(folder)
    except OSError:
        raise InsufficientStorage("There is not enough free disk space.") from None


@dataclass(frozen=True)
class Summary:
    """The size and hashes of data."""

    size: int
    md5: str
    sha512: str


class _Summing:
    def __init__(self) -> None:
        self._size = 0
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._sha512 = hashlib.sha512()

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        self._md5.update(piece)
        self._sha512.update(piece)

    def result(self) -> Summary:
        return Summary(self._size, self._md5.hexdigest(), self._sha512.hexdigest())


async def receive(
    stream: AsyncIterator[bytes], target: Path, check: Callable[[int], None] | None = None
) -> Summary:
    """Writes a stream to a file. `check` is called with the size up to now, and may raise an error; then, or if the
    connection breaks, the file is removed. Raises InsufficientStorage if the disk is nearly full."""
    target.parent.mkdir(parents=True, exist_ok=True)
    summing, size = _Summing(), 0
    try:
        with target.open("wb") as file:
            unchecked = _CHECKED_EVERY
            async for piece in stream:
                size += len(piece)
                if check is not None:
                    check(size)
                unchecked += len(piece)
                if unchecked >= _CHECKED_EVERY:
                    _check_for_request(target.parent)
                    unchecked = 0
                summing.add(piece)
                file.write(piece)
                # Streams from files do not wait for anything: others must have their turn.
                await asyncio.sleep(0)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return summing.result()


def summarise(file: Path) -> Summary:
    """Reads the whole file: to be called in a thread."""
    summing = _Summing()
    with file.open("rb") as opened:
        while piece := opened.read(PIECE * 16):
            summing.add(piece)
    return summing.result()


def pieces(file: Path, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
    """The bytes from `start` up to but without `end`. The file is opened now: it may be removed before it is read."""
    opened = file.open("rb")

    async def read() -> AsyncIterator[bytes]:
        with opened:
            opened.seek(start)
            left = end - start if end is not None else None
            while left != 0:
                piece = opened.read(PIECE if left is None else min(PIECE, left))
                if not piece:
                    return
                if left is not None:
                    left -= len(piece)
                yield piece

    return read()


@dataclass(frozen=True)
class Span:
    """A part of some data: from `start` up to but without `end`."""

    start: int
    end: int

    def content_range(self, size: int) -> str:
        """The Content-Range header."""
        return f"bytes {self.start}-{self.end - 1}/{size}"


def requested_span(header: str | None, size: int) -> Span | None:
    """The part that a Range header requests. None for the whole file: without the header, or with one
    that asks for something other than a single range of bytes."""
    if header is None or not header.startswith("bytes=") or "," in header:
        return None
    first, dash, last = header.removeprefix("bytes=").strip().partition("-")
    if not dash or not all(part == "" or part.isdecimal() for part in (first, last)) or not first + last:
        return None
    if len(first) + len(last) > _LONGEST_RANGE:
        raise RangeNotSatisfiable(_OUTSIDE)
    if not first:
        if int(last) == 0:
            raise RangeNotSatisfiable(_OUTSIDE)
        return Span(max(0, size - int(last)), size)
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise RangeNotSatisfiable(_OUTSIDE)
    return Span(int(first), min(size, int(last) + 1) if last else size)


def make_sparse(file: Path, gigabytes: int) -> None:
    """Creates or extends a sparse file. Existing data is kept."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as opened:
        opened.truncate(gigabytes << 30)


def copy_sparse(source: Path, target: Path, *, keep_mark: bool = False) -> None:
    """Copies a file and keeps its holes, if the system supports it: to be called in a thread. The copy is a new file.
    With `keep_mark` it is marked as made here, if the source is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    if not hasattr(os, "SEEK_DATA") or not hasattr(os, "sendfile"):
        shutil.copyfile(source, target)
        return
    with source.open("rb") as read, target.open("xb") as written:
        check_room(target.parent, os.fstat(read.fileno()).st_blocks * 512)
        # Before: the source may be a copy that is still being made, whose mark comes last.
        is_whole = keep_mark and is_made_here(read.fileno())
        size = os.fstat(read.fileno()).st_size
        place = 0
        while (data := _next_data(read.fileno(), place)) is not None:
            place = os.lseek(read.fileno(), data, os.SEEK_HOLE)
            _copy_part(read.fileno(), written.fileno(), data, place)
        written.truncate(size)
        if is_whole:
            mark_as_made_here(written.fileno())


def _next_data(source: int, place: int) -> int | None:
    try:
        return os.lseek(source, place, os.SEEK_DATA)
    except OSError:
        # No data follows.
        return None


def _copy_part(source: int, target: int, start: int, end: int) -> None:
    os.lseek(target, start, os.SEEK_SET)
    while start < end:
        copied = os.pwrite(target, os.pread(source, min(end - start, PIECE * 16), start), start)
        start += copied


def whole_number(written: str, where: str) -> int:
    """A number in a header or a query."""
    if not written.isdecimal() or len(written) > 18:
        raise BadRequest(f"{where} must be a whole number.")
    return int(written)
