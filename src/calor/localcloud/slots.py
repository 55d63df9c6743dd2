"""Long work that is done for a few at a time, so that nobody's takes the whole machine or keeps all others waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Slots:
    """At most `at_once` in all, and one for each owner."""

    def __init__(self, at_once: int) -> None:
        self._all = asyncio.Semaphore(at_once)
        self._owners: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, owner: str) -> AsyncIterator[None]:
        async with self._owners.setdefault(owner, asyncio.Lock()), self._all:
            yield
