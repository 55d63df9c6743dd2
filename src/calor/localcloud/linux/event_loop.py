"""The event loop of the holder."""

from __future__ import annotations

import logging
import selectors
import time
from collections.abc import Callable

log = logging.getLogger("calor.localcloud.linux")

_PAUSE = 0.05


class EventLoop:
    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def add_reader(self, fd: int, callback: Callable[[], None]) -> None:
        self._selector.register(fd, selectors.EVENT_READ, callback)

    def remove_reader(self, fd: int) -> None:
        """To be called before the descriptor is closed. Does nothing for a descriptor without a callback."""
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def run_once(self, seconds: float | None) -> None:
        """Waits until a descriptor is readable, at most so many seconds, and runs the callbacks. A callback that fails
        is logged."""
        for key, _ in self._selector.select(seconds):
            # An earlier callback may have removed this one.
            if self._selector.get_map().get(key.fd) == key:
                try:
                    key.data()
                except Exception:
                    log.exception("a callback of the event loop failed")
                    # It may fail again at once: the log must not grow too fast.
                    time.sleep(_PAUSE)
