"""Limits parallel requests, so that slow web servers do not block others."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_budget: ContextVar[float | None] = ContextVar("calor_fetching_budget", default=None)


class Busy(OSError):
    """Too many requests are in progress."""


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Limits the time of all fetches in this context together."""
    token = _budget.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _budget.reset(token)


def budget_end() -> float | None:
    """The end of the present budget, in monotonic time."""
    return _budget.get()


class FetchSlots:
    """Limits parallel fetches, in total and by project. A few more may wait for some seconds; others are refused."""

    def __init__(self, total: int, per_project: int, max_waiting: int = 0, timeout: float = 0.0) -> None:
        self._total = total
        self._per_project = per_project
        self._max_waiting = max_waiting
        self._timeout = timeout
        self._waiting = 0
        self._taken: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def slot(self, project: str) -> Iterator[None]:
        """Raises Busy."""
        with self._changed:
            if not self._is_free(project) and not self._wait(project):
                raise Busy("too many URLs are being fetched at present; try again later")
            self._taken[project] += 1
        try:
            yield
        finally:
            with self._changed:
                self._taken[project] -= 1
                if not self._taken[project]:
                    del self._taken[project]
                self._changed.notify_all()

    def _wait(self, project: str) -> bool:
        if self._waiting >= self._max_waiting:
            return False
        self._waiting += 1
        try:
            return self._changed.wait_for(lambda: self._is_free(project), self._timeout)
        finally:
            self._waiting -= 1

    def _is_free(self, project: str) -> bool:
        return self._taken.total() < self._total and self._taken[project] < self._per_project
