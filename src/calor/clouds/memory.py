"""Remembers for a short time what a credential stands for."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

Known = TypeVar("Known")


class Memory(Generic[Known]):
    """Keeps what is known by the SHA-256 of what proved it: no credential is kept. Whoever asks for something that is
    being looked up waits for that look-up instead of making another. `ends_at` is when something stops to hold by
    itself."""

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

    def recall(self, proof: str, look_up: Callable[[], Known]) -> Known:
        """What a proof stands for. Raises what the look-up raises."""
        key = hashlib.sha256(proof.encode("utf-8", "surrogatepass")).digest()
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
            found = look_up()
        except BaseException as error:
            with self._lock:
                del self._asked[key]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._asked[key]
            self._known.pop(key, None)
            self._known[key] = (found, min(self._clock() + self._seconds, self._ends_at(found)))
            self._forget()
        mine.set_result(found)
        return found

    def _forget(self) -> None:
        """What has had its time, as far as it lies first. It comes in the order in which it was looked up."""
        while self._known and (len(self._known) > self._size or self._first_ends() <= self._clock()):
            self._known.popitem(last=False)

    def _first_ends(self) -> float:
        return next(iter(self._known.values()))[1]
