"""SIGHUP, by which administrators ask programs to read their settings again."""

import os
import select
import signal
from contextlib import suppress
from typing import Any


class Hangup:
    """Notes the signal, which never interrupts work. Children do not inherit it."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        signal.signal(signal.SIGHUP, self._note)

    def pause(self, seconds: float) -> bool:
        """Waits; whether the signal has come since this was made."""
        ready, _, _ = select.select([self._reading], [], [], seconds)
        return bool(ready)

    def _note(self, number: int, frame: Any) -> None:
        with suppress(BlockingIOError):
            os.write(self._writing, b"!")
