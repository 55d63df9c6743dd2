"""Waits for objects of a cloud to change by polling lists: one poller for each collection, project and set of roles,
however many objects are awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from calor.clouds.errors import Forbidden, Transient, Unauthorized
from calor.resources.values import JsonObject

Object = JsonObject
Reading = asyncio.Future[Object | None]
Waiters = Mapping[str, list[Reading]]

FEW = 2
"""Up to so many objects are read one by one, as a list may be long."""
SHORTEST, LONGEST = 0.04, 5.0
PART = 0.1
"""The polling interval as a part of the time waited so far, so that slow operations are polled less often. A wait
becomes longer by this part at most, and by half of it on average."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How to read a collection with one user's session."""

    one: Callable[[str], Awaitable[Object | None]]
    all: Callable[[], Awaitable[Iterable[Object]]]
    on_unavailable: Callable[[Transient], None] = lambda error: None
    """Called whenever the service is unavailable."""


class Poller:
    """Polls a collection while objects of it are awaited, with the session of one of the waiters."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[tuple[Reading, Reader]]] = {}
        self._since: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None

    def next(self, id: str, since: float, reader: Reader) -> Reading:
        """The object as read next; None if it does not exist. `since` is when the wait for it began, by the loop's
        clock."""
        loop = asyncio.get_running_loop()
        future: Reading = loop.create_future()
        self._waiting.setdefault(id, []).append((future, reader))
        self._since[id] = since
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._poll())
        return future

    async def _poll(self) -> None:
        failures, rest = 0, 0.0
        while self._forget_abandoned():
            await asyncio.sleep(max(self._interval() * (1 + failures), rest))
            rest = 0.0
            if not (wanted := self._forget_abandoned()):
                return
            [*_, (_, reader)] = self._waiting[wanted[-1]]
            # Without waiters that are added during the read: what it returns may be older.
            waiters = {id: [future for future, _ in self._waiting[id]] for id in wanted}
            try:
                found = await self._read(wanted, reader)
            except Transient as error:
                failures, rest = failures + 1, error.retry_after
                self._report_unavailable(error)
                if failures > 10:
                    _fail(waiters, error)
            except (Unauthorized, Forbidden) as error:
                self._fail_reader(reader, error)
            except Exception as error:
                _fail(waiters, error)
            else:
                failures = 0
                _resolve(waiters, found)
            # Let waiters continue, which may wait again at once.
            await asyncio.sleep(0)

    def _forget_abandoned(self) -> list[str]:
        """Removes cancelled waiters; returns the ids that are still awaited."""
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
        listed: dict[str, Object] = {}
        if len(wanted) > FEW:
            listed = {str(each.get("id")): each for each in await reader.all()}
        # An object missing in the list may be new or belong to another project: only reading it shows that it is gone.
        missing = [id for id in wanted if id not in listed]
        found = await asyncio.gather(*map(reader.one, missing))
        return {**listed, **dict(zip(missing, found, strict=True))}

    def _report_unavailable(self, error: Transient) -> None:
        for waiting in self._waiting.values():
            for future, reader in waiting:
                if not future.done():
                    reader.on_unavailable(error)

    def _fail_reader(self, failed: Reader, error: Exception) -> None:
        """Fails the waits with one session; others may still be allowed to read."""
        for waiting in self._waiting.values():
            for future, reader in waiting:
                if reader is failed and not future.done():
                    future.set_exception(error)


def _resolve(waiters: Waiters, found: Mapping[str, Object | None]) -> None:
    for id, futures in waiters.items():
        for future in futures:
            if not future.done():
                future.set_result(found.get(id))


def _fail(waiters: Waiters, error: Exception) -> None:
    for futures in waiters.values():
        for future in futures:
            if not future.done():
                future.set_exception(error)
