"""Wakes engines up: a byte in an engine's named pipe, its bell, means that there may be work.

Each engine has its own bell in a directory shared by the processes of a machine; a process that stores work rings all
of them. An engine without a bell polls every second.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path


class Bell:
    """The bell of an engine. Raises OSError if named pipes cannot be created."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        temporary = folder / f".{name}"
        os.mkfifo(temporary, 0o600)
        # Open for writing, too, so that there is no end of file when the others close theirs.
        self.reader = os.open(temporary, os.O_RDWR | os.O_NONBLOCK)
        self._path = folder / name
        # Renamed only now: `ring` deletes pipes without a reader, as those of killed engines.
        temporary.rename(self._path)

    def drain(self) -> None:
        """Empties the pipe."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.reader, 65536)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self.reader)


def ring(folder: Path) -> None:
    """Rings all bells in a directory and removes those of engines that were killed."""
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
    # The engine wakes up anyway if the pipe is full.
    with contextlib.suppress(BlockingIOError, BrokenPipeError):
        os.write(writer, b".")
    os.close(writer)
