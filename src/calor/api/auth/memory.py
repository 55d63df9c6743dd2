"""Remembers who is behind a credential for a short time."""

from __future__ import annotations

import time
from collections.abc import Callable

from calor.api.auth import Identity
from calor.clouds import memory


class Memory(memory.Memory[Identity]):
    """Of identities, none longer than it holds."""

    def __init__(
        self, seconds: float = 60.0, size: int = 10_000, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(seconds, size, clock, lambda identity: identity.expires_at)

    def identity(self, proof: str, look_up: Callable[[], Identity]) -> Identity:
        """The identity that a proof stands for. Raises what the look-up raises."""
        return self.recall(proof, look_up)
