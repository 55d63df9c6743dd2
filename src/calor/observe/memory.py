"""Gives memory back that was needed for a moment: a process that lives for months is not to keep its highest mark."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time

SECONDS = 30.0
MOST_HEAPS = 2
"""More would help programs whose threads really run at the same time. Here, each would keep what it needed once."""

LARGE = 1 << 20
"""Bytes from which on something has memory of its own, which is given back as soon as it is not needed. The C library
would raise this bound whenever something large has come and gone."""

MUCH = 1_500_000
"""Objects from which on looking through all of them would hold the process up for too long."""

_ARENA_MAX, _MMAP_THRESHOLD = -8, -3


def give_back_memory() -> None:
    """Begins to do so, now and then, for as long as the process lives; where the C library is not able to, does
    nothing. The C library by itself gives back only what lies at the end of a heap."""
    try:
        library = ctypes.CDLL(None)
        trim = library.malloc_trim
        library.mallopt(_ARENA_MAX, MOST_HEAPS)
        library.mallopt(_MMAP_THRESHOLD, LARGE)
    except (AttributeError, OSError):
        return

    def work() -> None:
        while True:
            time.sleep(SECONDS)
            # By itself the collector looks through what has become old only when a quarter more has come.
            if sys.getallocatedblocks() < MUCH:
                gc.collect()
            trim(0)

    threading.Thread(target=work, name="memory", daemon=True).start()
