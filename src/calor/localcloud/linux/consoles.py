"""Consoles of servers: the last part of their output is kept in a file."""

from __future__ import annotations

import os
import termios
import tty
from contextlib import suppress
from pathlib import Path

from calor.localcloud.linux.confinement import Ids

MAX_BYTES = 1 << 20
_MAX_READS = 32


class Console:
    """A terminal whose output is appended to a file by `read`, to be called when it is readable."""

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

    def read(self) -> None:
        """Reads a limited amount, so that a busy server does not block others."""
        with suppress(BlockingIOError, OSError):
            for _ in range(_MAX_READS):
                data = os.read(self.terminal, 1 << 16)
                if not data:
                    return
                os.write(self._log, data)
                self._size += len(data)
                if self._size > MAX_BYTES:
                    self._truncate()

    def _truncate(self) -> None:
        kept = os.pread(self._log, MAX_BYTES // 2, self._size - MAX_BYTES // 2)
        os.ftruncate(self._log, 0)
        os.write(self._log, kept)
        self._size = len(kept)

    def close(self) -> None:
        self.read()
        for fd in (self.terminal, self._inner, self._log):
            os.close(fd)
