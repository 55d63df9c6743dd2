"""How much of the API one project may use at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from calor.api.errors import Unavailable


class Lanes:
    """So many requests of a project go on at once; others wait, without a thread, and too many are refused."""

    def __init__(self, abreast: int, waiting: int) -> None:
        self._abreast = abreast
        self._most = abreast + waiting
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def lane(self, project: str) -> AsyncIterator[None]:
        """Raises Unavailable if too many wait already."""
        lane = self._lanes.get(project)
        if lane is None:
            lane = self._lanes[project] = _Lane(self._abreast)
        if lane.users >= self._most:
            raise Unavailable("The project has too many such requests under way; try again later.")
        lane.users += 1
        try:
            async with lane.places:
                yield
        finally:
            lane.users -= 1
            if not lane.users:
                del self._lanes[project]


class _Lane:
    def __init__(self, abreast: int) -> None:
        self.places = asyncio.Semaphore(abreast)
        self.users = 0
