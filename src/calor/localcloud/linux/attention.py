"""What the holder waits for: descriptors, and what is done when there is something to read."""

from __future__ import annotations

import selectors
from collections.abc import Callable


class Attention:
    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def heed(self, fd: int, do: Callable[[], None]) -> None:
        self._selector.register(fd, selectors.EVENT_READ, do)

    def ignore(self, fd: int) -> None:
        """Before it is closed; one that is not heeded is fine."""
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def wait(self, seconds: float | None) -> None:
        """Does what there is to do, or nothing after a time."""
        for key, _ in self._selector.select(seconds):
            # What was done before may have ended the wait for this one.
            if self._selector.get_map().get(key.fd) == key:
                key.data()
