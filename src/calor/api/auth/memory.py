"""Caches the identities behind credentials for a short time."""

from __future__ import annotations

import time
from collections.abc import Callable

from calor.api.auth import Identity
from calor.clouds import cache


class Memory(cache.TtlCache[Identity]):
    """A cache of identities, none of which is kept after it expires."""

    def __init__(
        self, seconds: float = 60.0, size: int = 10_000, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(seconds, size, clock, lambda identity: identity.expires_at)

    def identity(self, proof: str, look_up: Callable[[], Identity]) -> Identity:
        """The identity for a credential. Raises the errors of the look-up."""
        return self.get_or_load(proof, look_up)
