"""The doorbell between processes: a pipe in which a byte means that there may be work."""

from __future__ import annotations

import contextlib
import os


class Bell:
    """Made before the processes are; both ends are inherited."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self.writer, False)
        os.set_inheritable(self.reader, True)
        os.set_inheritable(self.writer, True)

    def ring(self) -> None:
        # A full pipe has been rung often enough.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            os.write(self.writer, b".")

    def hush(self) -> None:
        """Takes the rings out of the pipe."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.reader, 65536)
