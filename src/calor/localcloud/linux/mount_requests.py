"""The folder in which a server finds its volumes listed, and asks for mounts of them.

It writes requests, lines of text, to a FIFO and reads the answers from a file. What it writes is not trusted.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.safe_paths import remove_tree

VOLUMES_SHOWN_AT = "/run/volumes"
PARTITIONS_AT = f"{VOLUMES_SHOWN_AT}/partitions"
"""Shown in place of /proc/partitions, which lists the disks of the host."""

_LONGEST = 4096
_KEPT_ANSWERS = 32
_PARTITIONS_HEAD = "major minor  #blocks  name\n\n"


@dataclass(frozen=True)
class KnownVolume:
    name: str
    """That of its device."""
    number: tuple[int, int]
    """Major and minor number of its device."""
    size: int
    uuid: str | None
    """That of its file system."""


@dataclass(frozen=True)
class MountRequest:
    id: str
    action: str
    words: tuple[str, ...]


class MountRequests:
    def __init__(self, folder: Path, ids: Ids) -> None:
        self.folder = folder
        remove_tree(folder)
        folder.mkdir(mode=0o755, parents=True)
        os.mkfifo(folder / "requests", 0o600)
        os.chown(folder / "requests", ids.first, ids.first)
        # Open for writing, too: otherwise it would be at its end whenever no server writes.
        self.fd = os.open(folder / "requests", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._unread = b""
        self._answers: deque[str] = deque(maxlen=_KEPT_ANSWERS)
        self._write("answers", ())
        self._write("mounts", ())
        self.list_volumes(())

    def list_volumes(self, volumes: Sequence[KnownVolume]) -> None:
        self._write("known", (f"{one.name} {one.uuid or '-'}" for one in volumes))
        lines = (f"{one.number[0]:4}  {one.number[1]:7} {one.size >> 10:10} {one.name}\n" for one in volumes)
        # The mount in /proc is one of this very file.
        (self.folder / "partitions").write_text(_PARTITIONS_HEAD + "".join(lines), encoding="utf-8")

    def list_mounts(self, mounts: Iterable[tuple[str, str]]) -> None:
        """Pairs of a device and the place at which the server asked for it."""
        self._write("mounts", (f"{name} {place}" for name, place in mounts))

    def next_request(self) -> MountRequest | None:
        """The next complete request, if there is one; what is too long or not a request is dropped."""
        with suppress(BlockingIOError):
            self._unread += os.read(self.fd, _LONGEST - len(self._unread))
        line, end, rest = self._unread.partition(b"\n")
        if not end:
            self._unread = b"" if len(line) >= _LONGEST else line
            return None
        self._unread = rest
        words = line.decode(errors="replace").split(" ", 2)
        if len(words) < 3 or not words[0].isprintable():
            return None
        return MountRequest(words[0], words[1], tuple(words[2].split(" ", 1)))

    def has_more(self) -> bool:
        return b"\n" in self._unread

    def answer(self, request: MountRequest, problem: str | None) -> None:
        said = " ".join((problem or "ok").split())
        self._answers.append(f"{request.id} {said}")
        self._write("answers", self._answers)

    def _write(self, name: str, lines: Iterable[str]) -> None:
        partial = self.folder / f"{name}.partial"
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        partial.rename(self.folder / name)

    def close(self) -> None:
        os.close(self.fd)
