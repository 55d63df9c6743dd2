"""What a process uses: memory, file descriptors, time. Under the names that Prometheus has for these."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from calor.observe.metrics import Family, Sample
from calor.observe.series import LOOP_LAG_SECONDS

_PAGE = resource.getpagesize()
_PROC = Path("/proc/self")
LOOK_SECONDS = 0.5


class _Memory(Family):
    kind = "gauge"

    def samples(self) -> Iterator[Sample]:
        if _PROC.exists():
            yield "", (), str(int((_PROC / "statm").read_text().split()[1]) * _PAGE)


class _Descriptors(Family):
    kind = "gauge"

    def samples(self) -> Iterator[Sample]:
        if _PROC.exists():
            # One of them is for looking.
            yield "", (), str(len(os.listdir(_PROC / "fd")) - 1)


class _Cpu(Family):
    kind = "counter"

    def samples(self) -> Iterator[Sample]:
        yield "", (), f"{time.process_time():.3f}"


class _Start(Family):
    kind = "gauge"

    def __init__(self, name: str, help: str) -> None:
        super().__init__(name, help)
        self.at = time.time()

    def samples(self) -> Iterator[Sample]:
        yield "", (), f"{self.at:.3f}"


_START = _Start("process_start_time_seconds", "When the process began, in seconds since 1970.")

FAMILIES: tuple[Family, ...] = (
    _Memory("process_resident_memory_bytes", "Memory in use, pages shared with other processes included."),
    _Descriptors("process_open_fds", "Open file descriptors."),
    _Cpu("process_cpu_seconds_total", "Time on processors."),
    _START,
)


def began() -> None:
    """Counts the life of the process from now."""
    _START.at = time.time()


async def watch_loop() -> None:
    """Notes how late the event loop is, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LOOK_SECONDS
        await asyncio.sleep(LOOK_SECONDS)
        LOOP_LAG_SECONDS.observe(max(loop.time() - due, 0.0))
