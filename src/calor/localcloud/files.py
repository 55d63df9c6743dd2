"""Data in files: taken from a request and sent in an answer piece by piece, hashed, copied with its holes.

Pieces are small and go to the system's own buffers, so that reading and writing them holds nobody up; whole files are
hashed and copied aside.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.problems import BadRequest, RangeNotSatisfiable

PIECE = 65_536
_LONGEST_RANGE = 40
"""Digits of both ends of a range. No file is that large."""
_OUTSIDE = "The range that was asked for lies outside of the data."


@dataclass(frozen=True)
class Summary:
    """What is told of data."""

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
    """Writes what arrives to the file. `check` is told how much it is so far and may refuse it; then, or when the
    connection breaks, nothing is left."""
    target.parent.mkdir(parents=True, exist_ok=True)
    summing, size = _Summing(), 0
    try:
        with target.open("wb") as file:
            async for piece in stream:
                size += len(piece)
                if check is not None:
                    check(size)
                summing.add(piece)
                file.write(piece)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return summing.result()


def summarise(file: Path) -> Summary:
    """Reads the whole file: to be done aside."""
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

    def told(self, size: int) -> str:
        """As a Content-Range header."""
        return f"bytes {self.start}-{self.end - 1}/{size}"


def requested_span(header: str | None, size: int) -> Span | None:
    """The part that a Range header asks for. None where everything is to be sent: without the header, or with one
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
    """A file of this size that takes no room until it is written to. One that exists keeps its data."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as opened:
        opened.truncate(gigabytes << 30)


def copy_sparse(source: Path, target: Path) -> None:
    """Copies a file without filling its holes, where the system tells of them: to be done aside."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not hasattr(os, "SEEK_DATA") or not hasattr(os, "sendfile"):
        shutil.copyfile(source, target)
        return
    with source.open("rb") as read, target.open("r+b" if target.exists() else "wb") as written:
        size = os.fstat(read.fileno()).st_size
        place = 0
        while (data := _next_data(read.fileno(), place)) is not None:
            place = os.lseek(read.fileno(), data, os.SEEK_HOLE)
            _copy_part(read.fileno(), written.fileno(), data, place)
        written.truncate(max(size, os.fstat(written.fileno()).st_size))


def _next_data(source: int, place: int) -> int | None:
    try:
        return os.lseek(source, place, os.SEEK_DATA)
    except OSError:
        # There is none beyond.
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
