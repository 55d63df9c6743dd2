"""Limits of what servers may ask of this process, and fair shares where it is scarce.

Servers count, not addresses or networks: a server may have many of both.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import StreamWriter, Transport
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

MOST_PER_SERVICE = 32
"""Connections of one server to one service."""
MOST_CONNECTIONS = 2048
"""Connections of all servers to all services. Each takes two open files."""
REQUESTS_PER_SECOND, REQUESTS_AT_ONCE = 50, 200
"""Metadata requests of one server. Each keeps all others waiting for a moment."""
_MOST_PACED = 10_000

FindOwner = Callable[[str, str], str | None]
"""Finds the id of the server with an address in a network."""


class GuestLimits:
    def __init__(self, find_owner: FindOwner) -> None:
        self._find_owner = find_owner
        self._connections: dict[str, dict[StreamWriter, str]] = {}
        """The open connections of each server, the oldest first, with their services."""
        self._due: dict[str, float] = {}
        """When each server has used up what it may ask at once, as of now."""

    def owner(self, network_id: str, address: str) -> str:
        """The id of a server. All unknown addresses of a network count as one."""
        return self._find_owner(network_id, address) or f"unknown in {network_id}"

    @contextmanager
    def connection(self, owner: str, service: str, writer: StreamWriter) -> Iterator[bool]:
        """Yields whether a connection is permitted, and counts it meanwhile. When there are too many, the server that
        has the most loses its oldest one to a server that has fewer."""
        if not self._is_permitted(owner, service):
            yield False
            return
        self._connections.setdefault(owner, {})[writer] = service
        try:
            yield True
        finally:
            self._forget(owner, writer)

    def _is_permitted(self, owner: str, service: str) -> bool:
        own = self._connections.get(owner, {})
        if Counter(own.values())[service] >= MOST_PER_SERVICE:
            return False
        if sum(map(len, self._connections.values())) < MOST_CONNECTIONS:
            return True
        largest = max(self._connections, key=lambda one: len(self._connections[one]))
        if len(self._connections[largest]) <= len(own) + 1:
            return False
        oldest = next(iter(self._connections[largest]))
        self._forget(largest, oldest)
        cast(Transport, oldest.transport).abort()
        return True

    def _forget(self, owner: str, writer: StreamWriter) -> None:
        own = self._connections.get(owner, {})
        own.pop(writer, None)
        if not own:
            self._connections.pop(owner, None)

    async def pace(self, owner: str) -> None:
        """Waits until a server may ask the next thing."""
        now = time.monotonic()
        if len(self._due) > _MOST_PACED:
            self._due = {one: due for one, due in self._due.items() if due > now}
        due = max(now, self._due.get(owner, now)) + 1 / REQUESTS_PER_SECOND
        self._due[owner] = due
        wait = due - now - REQUESTS_AT_ONCE / REQUESTS_PER_SECOND
        if wait > 0:
            await asyncio.sleep(wait)
