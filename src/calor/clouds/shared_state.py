"""State that all users of a cloud share in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from weakref import WeakValueDictionary

from calor.clouds.cache import TtlCache
from calor.clouds.lookups import Lookups
from calor.clouds.polling import Poller
from calor.clouds.tempurls import Signer
from calor.resources.values import JsonObject

Object = JsonObject

MAX_REQUESTS = 12
"""Concurrent requests to one service."""
CACHE_SECONDS = 60.0
"""How long objects that rarely change are cached."""


class SharedState:
    """Thread pools, pollers and caches."""

    def __init__(self, lookups: Lookups | None = None) -> None:
        self.lookups = lookups or Lookups()
        self.signer = Signer()
        self.seen: TtlCache[Object | None] = TtlCache(CACHE_SECONDS)
        self.owners: dict[str, str] = {}
        """The resources that own objects created by current runs, by the ids of these. Some are not stored yet."""
        self._pending: set[asyncio.Future[None]] = set()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._pollers: WeakValueDictionary[tuple[str, ...], Poller] = WeakValueDictionary()

    def pool(self, service: str) -> ThreadPoolExecutor:
        if service not in self._pools:
            self._pools[service] = ThreadPoolExecutor(MAX_REQUESTS, f"calor-{service}")
        return self._pools[service]

    def poller(self, *key: str) -> Poller:
        """The poller of a collection, shared for as long as it is referenced."""
        return self._pollers.setdefault(key, Poller())

    @contextmanager
    def pending_create(self) -> Iterator[None]:
        """Marks a create request as running, until the id of the object is known."""
        done = asyncio.get_running_loop().create_future()
        self._pending.add(done)
        try:
            yield
        finally:
            self._pending.remove(done)
            # Waiters continue after the creator, so that they see the owner.
            done.set_result(None)

    async def pending_creates(self) -> None:
        """Waits for the create requests that are running now."""
        if self._pending:
            await asyncio.wait(set(self._pending))
