"""Limits the concurrent requests of a project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from calor.api.errors import Unavailable


class Lanes:
    """Runs a limited number of requests of a project concurrently. Others wait for a while, without a thread; if too
    many wait, they are refused."""

    def __init__(self, abreast: int, waiting: int, patience: float = 15.0) -> None:
        self._abreast = abreast
        self._patience = patience
        self._most = abreast + waiting
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def lane(self, project: str) -> AsyncIterator[None]:
        """Raises Unavailable if too many requests already wait, or if this one has waited for too long."""
        lane = self._lanes.get(project)
        if lane is None:
            lane = self._lanes[project] = _Lane(self._abreast)
        if lane.users >= self._most:
            raise _busy()
        lane.users += 1
        try:
            try:
                async with asyncio.timeout(self._patience):
                    await lane.places.acquire()
            except TimeoutError:
                raise _busy() from None
            try:
                yield
            finally:
                lane.places.release()
        finally:
            lane.users -= 1
            if not lane.users:
                del self._lanes[project]


def _busy() -> Unavailable:
    return Unavailable("The project has too many concurrent requests of this kind; try again later.")


class _Lane:
    def __init__(self, abreast: int) -> None:
        self.places = asyncio.Semaphore(abreast)
        self.users = 0
