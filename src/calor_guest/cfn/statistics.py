"""Figures about this server, from /proc and its file systems."""

import os
import time
from typing import Callable, Dict, NamedTuple, Tuple


class Usage(NamedTuple):
    """In bytes."""

    total: int
    used: int
    available: int

    @property
    def percent(self) -> float:
        """Of what is there for use: a part of disks is reserved for root."""
        whole = self.used + self.available
        return round(100.0 * self.used / whole, 1) if whole else 0.0


def memory() -> Usage:
    """Caches count as available."""
    figures = _figures(_read("/proc/meminfo"))
    total = figures["MemTotal"]
    caches = figures["MemFree"] + figures.get("Buffers", 0) + figures.get("Cached", 0)
    available = figures.get("MemAvailable", caches)
    return Usage(total, total - available, available)


def swap() -> Usage:
    figures = _figures(_read("/proc/meminfo"))
    total, free = figures.get("SwapTotal", 0), figures.get("SwapFree", 0)
    return Usage(total, total - free, free)


def disk(path: str) -> Usage:
    """Of the file system of a path. Raises OSError."""
    found = os.statvfs(path)
    size = found.f_frsize
    return Usage(found.f_blocks * size, (found.f_blocks - found.f_bfree) * size, found.f_bavail * size)


def cpu_percent(seconds: float = 1.0, sleep: Callable[[float], None] = time.sleep) -> float:
    """How busy the processors are during the next seconds."""
    before = cpu_times(_read("/proc/stat"))
    sleep(seconds)
    after = cpu_times(_read("/proc/stat"))
    return busy_percent(before, after)


def cpu_times(text: str) -> Tuple[int, int]:
    """Busy and all ticks since the start, as /proc/stat has them."""
    numbers = [int(number) for number in text.partition("\n")[0].split()[1:9]]
    idle = sum(numbers[3:5])
    return sum(numbers) - idle, sum(numbers)


def busy_percent(before: Tuple[int, int], after: Tuple[int, int]) -> float:
    busy, all = after[0] - before[0], after[1] - before[1]
    return round(min(100.0, max(0.0, 100.0 * busy / all)), 1) if all > 0 else 0.0


def _figures(text: str) -> Dict[str, int]:
    figures = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        words = value.split()
        if words:
            figures[name] = int(words[0]) * (1024 if words[-1] == "kB" else 1)
    return figures


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()
