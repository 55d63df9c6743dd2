"""What servers write to their consoles: the end of it is kept in a file."""

from __future__ import annotations

import os
import termios
import tty
from contextlib import suppress
from pathlib import Path

from calor.localcloud.linux.confinement import Ids

MOST_BYTES = 1 << 20
_MOST_PIECES = 32


class Console:
    """A terminal with a file behind it. Whoever waits for it to become readable lets it take what was written."""

    def __init__(self, file: Path, ids: Ids) -> None:
        self.terminal, self._inner = os.openpty()
        for fd in (self.terminal, self._inner):
            os.set_inheritable(fd, False)
        os.set_blocking(self.terminal, False)
        tty.setraw(self._inner, termios.TCSANOW)
        os.fchown(self._inner, ids.first, ids.first)
        self.path = os.ttyname(self._inner)
        self._log = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._log).st_size

    def take(self) -> None:
        """Not everything at once: a server that never stops writing must not keep others waiting."""
        with suppress(BlockingIOError, OSError):
            for _ in range(_MOST_PIECES):
                data = os.read(self.terminal, 1 << 16)
                if not data:
                    return
                os.write(self._log, data)
                self._size += len(data)
                if self._size > MOST_BYTES:
                    self._forget_half()

    def _forget_half(self) -> None:
        kept = os.pread(self._log, MOST_BYTES // 2, self._size - MOST_BYTES // 2)
        os.ftruncate(self._log, 0)
        os.write(self._log, kept)
        self._size = len(kept)

    def close(self) -> None:
        self.take()
        for fd in (self.terminal, self._inner, self._log):
            os.close(fd)
