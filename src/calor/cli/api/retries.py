"""Retries requests while a service is unavailable, for instance because it or a proxy is restarted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from calor.cli.errors import CommandError

MOST_SECONDS = 120.0
FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 10.0

T = TypeVar("T")


class RequestRetries:
    """Decides whether to retry: until the service was unavailable for two minutes."""

    def __init__(self) -> None:
        self.succeeded()

    def succeeded(self) -> None:
        """Resets the time and the pauses after a response."""
        self._since: float | None = None
        self._pause = FIRST_PAUSE

    def wait(self) -> bool:
        """Whether to retry. If so, first waits, each time for longer."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if now - self._since > MOST_SECONDS:
            return False
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return True


def with_retries(send: Callable[[], T], retries: RequestRetries | None = None) -> T:
    """The result of an idempotent request. Raises CommandError if a retry would not help, or after two minutes."""
    retries = retries or RequestRetries()
    while True:
        try:
            found = send()
        except CommandError as error:
            if not error.is_temporary or not retries.wait():
                raise
        else:
            retries.succeeded()
            return found
