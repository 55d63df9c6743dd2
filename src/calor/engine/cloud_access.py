"""The services of the cloud as a run reaches them: in the owner's name, without holding up the walk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from calor.clouds.errors import CloudError, Transient
from calor.clouds.lookups import Lookups
from calor.clouds.memory import Memory
from calor.clouds.polling import Poller, Reader
from calor.clouds.services import Services, unwrapped
from calor.clouds.tempurls import Signer
from calor.engine.states import ResourceState, Stopped
from calor.engine.strays import Stray

if TYPE_CHECKING:
    from calor.engine.runs import Run

Answer = TypeVar("Answer")
Object = dict[str, Any]

AT_ONCE = 12
"""Requests under way to one service."""
PAUSES = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds after which a service that is away is asked again."""

RECENT = 60.0
"""Seconds for which what hardly changes is not read again."""


class Reach:
    """What all runs of an engine share: threads for each service, readers of lists, names that are known."""

    def __init__(self) -> None:
        self.lookups = Lookups()
        self.signer = Signer()
        self.seen: Memory[Object | None] = Memory(RECENT)
        self.makers: dict[str, str] = {}
        """Resources, by the ids of what runs of now have made: some of them are on their way to the database."""
        self._births: set[asyncio.Future[None]] = set()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._pollers: WeakValueDictionary[tuple[str, ...], Poller] = WeakValueDictionary()

    def pool(self, service: str) -> ThreadPoolExecutor:
        if service not in self._pools:
            self._pools[service] = ThreadPoolExecutor(AT_ONCE, f"calor-{service}")
        return self._pools[service]

    def poller(self, *key: str) -> Poller:
        """The one that reads a collection, as long as somebody keeps it."""
        return self._pollers.setdefault(key, Poller())

    @contextmanager
    def birth(self) -> Iterator[None]:
        """While an object is asked for, and nobody knows its id."""
        born = asyncio.get_running_loop().create_future()
        self._births.add(born)
        try:
            yield
        finally:
            self._births.remove(born)
            # Who waits goes on later than who asked, and so finds the owner noted.
            born.set_result(None)

    async def births(self) -> None:
        """Returns when all objects that are being asked for now have owners, or none."""
        if self._births:
            await asyncio.wait(set(self._births))


class CloudAccess:
    """See `calor.types.behaviour.CloudServices`."""

    def __init__(
        self, run: Run, services: Services, reach: Reach, state: ResourceState | None = None
    ) -> None:
        """`state` is the resource that is worked on: it tells what is waited for."""
        self._run = run
        self.services = services
        self._reach = reach
        self._state = state

    def for_resource(self, state: ResourceState) -> CloudAccess:
        return CloudAccess(self._run, self.services, self._reach, state)

    async def project_id(self) -> str:
        return await self._work("identity", lambda: self.services.project_id)

    async def user_id(self) -> str:
        return await self._work("identity", lambda: self.services.user_id)

    async def has(self, service: str) -> bool:
        return await self._work("identity", self.services.has, service)

    async def ask(self, service: str, method: str, *path: str, **request: Any) -> Object:
        return await self._persistently(
            service, partial(self.services.ask, service, method, *path, **request)
        )

    async def ask_once(self, service: str, method: str, *path: str, **request: Any) -> Object:
        return await self._work(service, partial(self.services.ask, service, method, *path, **request))

    async def make(
        self,
        service: str,
        *path: str,
        body: Mapping[str, Any],
        find: Callable[[], Awaitable[Object | None]] | None = None,
        version: str | None = None,
    ) -> Object:
        async def post() -> Object:
            with self._reach.birth():
                made = unwrapped(await self.ask_once(service, "POST", *path, body=body, version=version))
            if not self._run.holds_lease and made.get("id"):
                id = str(made["id"])
                self._run.late[id] = Stray(self._run.stack.root, self.services, service, path, id, version)
            return made

        with self._waiting_for(service) as is_away:
            for pause in PAUSES[:5]:
                try:
                    return await post()
                except Transient as error:
                    if find is None and error.status not in (429, 503):
                        raise
                    is_away(error)
                    await self._run.pause(pause)
                    found = await find() if find is not None else None
                    if found is not None:
                        return found
            return await post()

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        return await self._persistently(service, partial(self.services.show, service, *path, version=version))

    async def recent(self, service: str, *path: str) -> Object | None:
        def look() -> Object | None:
            known = "\0".join((self.services.rights, service, *path))
            return self._reach.seen.recall(known, lambda: self.services.show(service, *path))

        return await self._persistently(service, look)

    async def all(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> list[Object]:
        def read() -> list[Object]:
            return list(self.services.each(service, *path, key=key, params=params, version=version))

        return await self._persistently(service, read)

    async def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Any:
        work = partial(self.services.send, service, method, *path, body=body, headers=headers, params=params)
        return await self._persistently(service, work)

    async def temporary_url(self, method: str, container: str, name: str) -> str:
        sign = partial(self._reach.signer.url, self.services, method, container, name)
        return await self._persistently("object", sign)

    async def id_of(self, kind: str, name_or_id: str) -> str:
        look_up = partial(self._reach.lookups.id_of, self.services, kind, name_or_id)
        return await self._persistently("identity", look_up)

    async def until(
        self,
        service: str,
        collection: Sequence[str],
        id: str,
        settled: Callable[[Object | None], bool],
        *,
        key: str | None = None,
        details: str | None = None,
        version: str | None = None,
    ) -> Object | None:
        def all_of_them() -> list[Object]:
            path = (*collection, details) if details else collection
            listed = self.services.each(service, *path, key=key or collection[-1], version=version)
            return list(listed)

        def just_one(id: str) -> Object | None:
            return self.services.show(service, *collection, id, version=version)

        rights = await self._work("identity", lambda: self.services.rights)
        poller = self._reach.poller(rights, service, *collection, version or "")
        since = asyncio.get_running_loop().time()
        while True:
            with self._waiting_for(service) as is_away:
                reader = Reader(
                    partial(self._read, service, just_one),
                    partial(self._read, service, all_of_them),
                    is_away,
                )
                found = await self._watch(poller.next(id, since, reader))
            if settled(found):
                return found

    async def _watch(self, reading: asyncio.Future[Object | None]) -> Object | None:
        """What is read next. Raises Stopped when the run is to stop before."""
        self._run.journal.send()
        stop = asyncio.ensure_future(self._run.stop.wait())
        try:
            await asyncio.wait((reading, stop), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()
            if not reading.done():
                reading.cancel()
        if self._run.stopped():
            raise Stopped
        return reading.result()

    async def _persistently(self, service: str, work: Callable[[], Answer]) -> Answer:
        """What is harmless to do twice is tried again when a service is away for a moment."""
        with self._waiting_for(service) as is_away:
            for pause in PAUSES:
                try:
                    return await self._work(service, work)
                except Transient as error:
                    is_away(error)
                    await self._run.pause(pause)
            return await self._work(service, work)

    @contextmanager
    def _waiting_for(self, service: str) -> Iterator[Callable[[CloudError], None]]:
        """Around whatever may have to wait for a service; what it gives is told why, each time."""
        outages, state = self._run.outages, self._state
        if state is None:
            yield lambda error: None
            return
        try:
            yield partial(outages.away, state, service)
        finally:
            outages.back(state, service)

    async def _work(self, service: str, work: Callable[..., Answer], *args: Any) -> Answer:
        return await self._run.in_thread(work, *args, pool=self._reach.pool(service))

    async def _read(self, service: str, work: Callable[..., Answer], *args: Any) -> Answer:
        """What changes nothing, and is read for others, too."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reach.pool(service), partial(work, *args))
