"""Sends requests that change something only while the sender still holds its lease.

The connection checks right before it sends bytes, after anything that may have delayed the thread: a queue, a log-in, a
suspended process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Check = Callable[[], None]
"""Raises when nothing may be changed any more. Called on the sending thread before each part of a request."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOG_IN = "/auth/tokens"
"""Creating a token is always allowed."""

_of_thread = threading.local()


@contextmanager
def sending_only_if(check: Check) -> Iterator[None]:
    """In this context, this thread sends requests that change something only if the check does not raise."""
    before = getattr(_of_thread, "check", None)
    _of_thread.check = check
    try:
        yield
    finally:
        _of_thread.check = before


def check_of_request(method: str, path: str) -> Check | None:
    """The check to call before sending a request on this thread, or None."""
    if method in _SAFE or path.endswith(_LOG_IN):
        return None
    check: Check | None = getattr(_of_thread, "check", None)
    return check
