"""Going on while a service cannot be reached: it is started again, or a proxy before it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from calor.cli.errors import CommandError

MOST_SECONDS = 120.0
FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 10.0

T = TypeVar("T")


class Patience:
    """It ends when there was no sign of life for two minutes."""

    def __init__(self) -> None:
        self.heard()

    def heard(self) -> None:
        """A sign of life: whatever goes wrong next is a new trouble."""
        self._since: float | None = None
        self._pause = FIRST_PAUSE

    def lasts(self) -> bool:
        """Whether to try again; pauses before, each time for longer."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if now - self._since > MOST_SECONDS:
            return False
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return True


def patiently(ask: Callable[[], T], patience: Patience | None = None) -> T:
    """What a request gives that changes nothing and can be repeated. Raises CommandError if another request would not
    help, or when patience has ended."""
    patience = patience or Patience()
    while True:
        try:
            found = ask()
        except CommandError as error:
            if not error.may_pass or not patience.lasts():
                raise
        else:
            patience.heard()
            return found
