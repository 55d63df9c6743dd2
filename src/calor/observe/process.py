"""Metrics of a process: memory, file descriptors, CPU time. The names are Prometheus's."""

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
            # Without the one that listdir opens.
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


_START = _Start("process_start_time_seconds", "Start time of the process in seconds since the Unix epoch.")

FAMILIES: tuple[Family, ...] = (
    _Memory("process_resident_memory_bytes", "Resident memory, including pages shared with other processes."),
    _Descriptors("process_open_fds", "Open file descriptors."),
    _Cpu("process_cpu_seconds_total", "CPU time used."),
    _START,
)


def mark_started() -> None:
    """Sets the start time to now, after a fork."""
    _START.at = time.time()


async def watch_loop() -> None:
    """Measures the lag of the event loop until cancelled."""
    loop = asyncio.get_running_loop()
    # The first time at once, so that the series exists from the start.
    pause = 0.0
    while True:
        due = loop.time() + pause
        await asyncio.sleep(pause)
        LOOP_LAG_SECONDS.observe(max(loop.time() - due, 0.0))
        pause = LOOK_SECONDS
