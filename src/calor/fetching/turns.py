"""How much may be fetched at once, so that slow web servers hold up nobody else."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_budget: ContextVar[float | None] = ContextVar("calor_fetching_budget", default=None)


class Busy(OSError):
    """Too much is being fetched already."""


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """All that is fetched for one request has to be there within this time, however many addresses that is."""
    token = _budget.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _budget.reset(token)


def budget_end() -> float | None:
    """When the time of the present request is over."""
    return _budget.get()


class Turns:
    """Turns at fetching: so many at once in all, and so many for one project. A few may wait for one, for some seconds;
    whoever gets none is refused."""

    def __init__(self, at_once: int, of_one: int, waiting: int = 0, patience: float = 0.0) -> None:
        self._at_once = at_once
        self._of_one = of_one
        self._most_waiting = waiting
        self._patience = patience
        self._waiting = 0
        self._taken: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, whose: str) -> Iterator[None]:
        """Raises Busy."""
        with self._changed:
            if not self._is_free(whose) and not self._waited(whose):
                raise Busy("too many addresses are being fetched at present; try again later")
            self._taken[whose] += 1
        try:
            yield
        finally:
            with self._changed:
                self._taken[whose] -= 1
                if not self._taken[whose]:
                    del self._taken[whose]
                self._changed.notify_all()

    def _waited(self, whose: str) -> bool:
        if self._waiting >= self._most_waiting:
            return False
        self._waiting += 1
        try:
            return self._changed.wait_for(lambda: self._is_free(whose), self._patience)
        finally:
            self._waiting -= 1

    def _is_free(self, whose: str) -> bool:
        return self._taken.total() < self._at_once and self._taken[whose] < self._of_one
