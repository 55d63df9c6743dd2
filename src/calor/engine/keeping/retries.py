"""Runs that fail unexpectedly: after a transient error they are retried at once, after repeated ones they are given
up."""

from __future__ import annotations

import time
from collections.abc import Callable

from calor.store.outages import is_transient

MAX_FAILURES = 4
"""Consecutive failures of the same action."""
FIRST_PAUSE = 0.25
"""Seconds; doubles each time."""
_LONGEST = 500


class RunRetries:
    """The failed runs of one engine, by stack."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._numbers: dict[str, tuple[str, int]] = {}
        self._until: dict[str, float] = {}

    def record(self, stack: str, run_id: str, error: Exception) -> bool:
        """Records a failure; returns whether to stop retrying."""
        if is_transient(error):
            return False
        before, number = self._numbers.get(stack, (run_id, 0))
        number = number + 1 if before == run_id else 1
        self._numbers[stack] = (run_id, number)
        self._until[stack] = self._clock() + FIRST_PAUSE * 2 ** (number - 1)
        return number >= MAX_FAILURES

    def clear(self, stack: str) -> None:
        self._numbers.pop(stack, None)
        self._until.pop(stack, None)

    def backing_off(self, stack: str) -> bool:
        return self._until.get(stack, 0.0) > self._clock()


def reason_for_giving_up(error: Exception) -> str:
    message = f"{type(error).__name__}: {error}"[:_LONGEST].encode("ascii", "backslashreplace").decode()
    return f"The engine failed repeatedly: {message}"
