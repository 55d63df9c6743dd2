"""Gives memory back that was needed for a moment: a process that lives for months is not to keep its highest mark."""

from __future__ import annotations

import ctypes
import threading
import time

SECONDS = 30.0


def give_back_memory() -> None:
    """Begins to do so, now and then, for as long as the process lives; where the C library is not able to, does
    nothing. The C library by itself gives back only what lies at the end of a heap."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return

    def work() -> None:
        while True:
            time.sleep(SECONDS)
            trim(0)

    threading.Thread(target=work, name="memory", daemon=True).start()
