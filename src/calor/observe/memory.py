"""Returns unused memory to the system, so that a long-lived process does not keep its peak usage."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time

SECONDS = 30.0
MOST_HEAPS = 2
"""More malloc arenas would only help threads that run in parallel; each would keep its peak memory."""

LARGE = 1 << 20
"""The size from which allocations are mapped separately, and returned when they are freed. A fixed threshold: by
default the C library raises it when large allocations are freed."""

MUCH = 1_500_000
"""With more objects than this, a full collection would take too long."""

_ARENA_MAX, _MMAP_THRESHOLD = -8, -3


def start_trimming() -> None:
    """Starts a thread that trims the heap periodically; by itself, the C library only returns memory at the end of a
    heap. Does nothing if the C library has no malloc_trim."""
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
            # By itself the collector waits until the old generation has grown by a quarter.
            if sys.getallocatedblocks() < MUCH:
                gc.collect()
            trim(0)

    threading.Thread(target=work, name="memory", daemon=True).start()
