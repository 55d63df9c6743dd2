"""Requests that change something are sent only while whoever asks may still do so.

The check is made by the connection, right before bytes are sent: whatever held the thread up before, a queue, a log-in
or a process that was stopped, comes before the check.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Check = Callable[[], None]
"""Raises when nothing may be changed any more. It is called on the thread that sends, before each piece of a
request."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOG_IN = "/auth/tokens"
"""A new token changes nothing, and may be for several."""

_of_thread = threading.local()


@contextmanager
def sending_only_if(check: Check) -> Iterator[None]:
    """Within this, on this thread, requests that change something are sent only if the check does not raise."""
    before = getattr(_of_thread, "check", None)
    _of_thread.check = check
    try:
        yield
    finally:
        _of_thread.check = before


def check_of_request(method: str, path: str) -> Check | None:
    """What has to be asked before a request of this thread is sent; None if nothing has."""
    if method in _SAFE or path.endswith(_LOG_IN):
        return None
    check: Check | None = getattr(_of_thread, "check", None)
    return check
