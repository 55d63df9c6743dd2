"""Waits for objects of a cloud to change, by reading lists: one reader for each collection of a project and each set of
roles there, however many objects are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from calor.clouds.errors import Forbidden, Transient, Unauthorized

Object = dict[str, Any]
Reading = asyncio.Future[Object | None]
Asking = Mapping[str, list[Reading]]

FEW = 2
"""As many are read one by one: a list may be long."""
SHORTEST, LONGEST = 0.04, 5.0
PART = 0.25
"""A wait is longer by so much of the time that was waited already, so that what takes long is asked for seldom."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How somebody reads a collection, in whose name that may be done."""

    one: Callable[[str], Awaitable[Object | None]]
    all: Callable[[], Awaitable[Iterable[Object]]]
    away: Callable[[Transient], None] = lambda error: None
    """Is told each time when the service cannot be asked."""


class Poller:
    """Reads a collection while somebody waits for one of its objects, in the name of one who does."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[tuple[Reading, Reader]]] = {}
        self._since: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None

    def next(self, id: str, since: float, reader: Reader) -> Reading:
        """The object as it is read next, None if it is not there. `since` is when the wait for it began, by the
        loop's clock."""
        loop = asyncio.get_running_loop()
        future: Reading = loop.create_future()
        self._waiting.setdefault(id, []).append((future, reader))
        self._since[id] = since
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._poll())
        return future

    async def _poll(self) -> None:
        failures = 0
        while self._forget_abandoned():
            await asyncio.sleep(self._interval() * (1 + failures))
            if not (wanted := self._forget_abandoned()):
                return
            [*_, (_, reader)] = self._waiting[wanted[-1]]
            # Whoever comes while it is read is told the next time: what is read now may be from before.
            asking = {id: [future for future, _ in self._waiting[id]] for id in wanted}
            try:
                found = await self._read(wanted, reader)
            except Transient as error:
                failures += 1
                self._tell_away(error)
                if failures > 10:
                    _fail(asking, error)
            except (Unauthorized, Forbidden) as error:
                self._turn_away(reader, error)
            except Exception as error:
                _fail(asking, error)
            else:
                failures = 0
                _tell(asking, found)
            # Whoever is not content asks for more right away.
            await asyncio.sleep(0)

    def _forget_abandoned(self) -> list[str]:
        """The ids that somebody still waits for."""
        for id in list(self._waiting):
            left = [(future, reader) for future, reader in self._waiting[id] if not future.done()]
            if left:
                self._waiting[id] = left
            else:
                del self._waiting[id], self._since[id]
        return list(self._waiting)

    def _interval(self) -> float:
        now = asyncio.get_running_loop().time()
        youngest = now - max(self._since.values())
        return min(max(youngest * PART, SHORTEST), LONGEST)

    async def _read(self, wanted: list[str], reader: Reader) -> Mapping[str, Object | None]:
        if len(wanted) <= FEW:
            return {id: await reader.one(id) for id in wanted}
        listed = {str(each.get("id")): each for each in await reader.all()}
        # What a list does not show may be new, or somebody else's: only by itself is it known to be gone.
        missing = [id for id in wanted if id not in listed]
        return {**listed, **{id: await reader.one(id) for id in missing}}

    def _tell_away(self, error: Transient) -> None:
        for waiting in self._waiting.values():
            for future, reader in waiting:
                if not future.done():
                    reader.away(error)

    def _turn_away(self, unwelcome: Reader, error: Exception) -> None:
        """Others may be let in."""
        for waiting in self._waiting.values():
            for future, reader in waiting:
                if reader is unwelcome and not future.done():
                    future.set_exception(error)


def _tell(asking: Asking, found: Mapping[str, Object | None]) -> None:
    for id, futures in asking.items():
        for future in futures:
            if not future.done():
                future.set_result(found.get(id))


def _fail(asking: Asking, error: Exception) -> None:
    for futures in asking.values():
        for future in futures:
            if not future.done():
                future.set_exception(error)
