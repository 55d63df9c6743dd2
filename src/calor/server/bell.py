"""The doorbell between processes: named pipes in which a byte means that there may be work.

Each engine has one of its own, in a folder that the processes of a machine share; whoever has work rings them all.
Where there is none, engines look by themselves every second.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path


class Bell:
    """The bell of an engine. Raises OSError where there can be no named pipes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        beside = folder / f".{name}"
        os.mkfifo(beside, 0o600)
        # Open for writing, too: it has no end when the others close theirs.
        self.reader = os.open(beside, os.O_RDWR | os.O_NONBLOCK)
        self._path = folder / name
        # A pipe without a reader would be taken for that of an engine that was killed.
        beside.rename(self._path)

    def hush(self) -> None:
        """Takes the rings out of the pipe."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.reader, 65536)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self.reader)


def ring(folder: Path) -> None:
    """Rings all bells in a folder. Those of engines that were killed are removed."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if not name.startswith("."):
            _ring(folder / name)


def _ring(path: Path) -> None:
    try:
        writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            path.unlink(missing_ok=True)
        return
    # A full pipe has been rung often enough.
    with contextlib.suppress(BlockingIOError, BrokenPipeError):
        os.write(writer, b".")
    os.close(writer)
