"""How much the holder works for each server, so that none of them can take its time from the others."""

from __future__ import annotations

import time
from collections.abc import Callable

_SHARE = 0.05
"""The part of its time that one server can take for long."""
_AT_ONCE = 0.5
"""Seconds of work after which a server must wait."""


class Turns:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._even: dict[str, float] = {}
        """When each server has had no more than its share."""

    def take(self, server: str, work: Callable[[], None]) -> float:
        """Does something for a server. Returns for how many seconds nothing more is done for it."""
        begun = self._clock()
        try:
            work()
        finally:
            now = self._clock()
            even = max(begun, self._even.get(server, begun)) + (now - begun) / _SHARE
            self._even[server] = even
        return max(0.0, even - now - _AT_ONCE / _SHARE)

    def forget(self, server: str) -> None:
        self._even.pop(server, None)
