"""A cache of recently read values, limited by size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")


class Recent(Generic[Key, Kept]):
    """At most `count` values, of at most `size` bytes in total according to `weigh`. Larger values are never cached."""

    def __init__(
        self, read: Callable[[Key], Kept], weigh: Callable[[Kept], int], count: int, size: int
    ) -> None:
        self._read = read
        self._weigh = weigh
        self._count = count
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, tuple[Kept, int]] = OrderedDict()
        self._total = 0

    def __call__(self, key: Key) -> Kept:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        read = self._read(key)
        self.keep(key, read)
        return read

    def keep(self, key: Key, read: Kept) -> None:
        """Keeps what was read, or made, by somebody else."""
        weight = self._weigh(read)
        with self._lock:
            if weight <= self._size and key not in self._kept:
                self._kept[key] = read, weight
                self._total += weight
            while len(self._kept) > self._count or self._total > self._size:
                _, (_, gone) = self._kept.popitem(last=False)
                self._total -= gone
