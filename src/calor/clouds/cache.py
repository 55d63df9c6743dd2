"""A short-lived, thread-safe cache."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

Known = TypeVar("Known")


class TtlCache(Generic[Known]):
    """Caches values under the SHA-256 of their keys, which may be credentials. Concurrent requests for a key share one
    load. `ends_at` is when a value expires by itself."""

    def __init__(
        self,
        seconds: float = 60.0,
        size: int = 10_000,
        clock: Callable[[], float] = time.time,
        ends_at: Callable[[Known], float] = lambda known: float("inf"),
    ) -> None:
        self._seconds = seconds
        self._size = size
        self._clock = clock
        self._ends_at = ends_at
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, tuple[Known, float]] = OrderedDict()
        self._asked: dict[bytes, Future[Known]] = {}

    def get_or_load(self, secret_key: str, load: Callable[[], Known]) -> Known:
        """The value of a key. Raises what `load` raises."""
        key = hashlib.sha256(secret_key.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            known = self._known.get(key)
            if known is not None and known[1] > self._clock():
                return known[0]
            waiting = self._asked.get(key)
            if waiting is None:
                mine: Future[Known] = Future()
                self._asked[key] = mine
        if waiting is not None:
            return waiting.result()
        try:
            found = load()
        except BaseException as error:
            with self._lock:
                del self._asked[key]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._asked[key]
            self._known.pop(key, None)
            self._known[key] = (found, min(self._clock() + self._seconds, self._ends_at(found)))
            self._evict()
        mine.set_result(found)
        return found

    def _evict(self) -> None:
        """Removes expired entries from the front, in the order in which they were loaded."""
        while self._known and (len(self._known) > self._size or self._first_ends() <= self._clock()):
            self._known.popitem(last=False)

    def _first_ends(self) -> float:
        return next(iter(self._known.values()))[1]
