"""What came of a command."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def complaints(self) -> list[str]:
        return self.err.splitlines()


Run = Callable[..., Ran]

PATIENCE = 30.0


def eventually(holds: Callable[[], object]) -> bool:
    """Whether something comes true before patience runs out."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
