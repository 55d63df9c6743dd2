"""The cloud's services for a run: with the owner's credentials and retries, without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from calor.clouds.errors import CloudError, Transient
from calor.clouds.polling import Reader
from calor.clouds.retries import is_refusal, pause_after
from calor.clouds.services import Services, unwrapped
from calor.clouds.shared_state import SharedState
from calor.engine.run.control import Control
from calor.engine.run.journal import Journal
from calor.engine.run.late_objects import LateObject
from calor.engine.run.outages import Outages
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks.states import ResourceState, Stopped

Answer = TypeVar("Answer")
Object = JsonObject


@dataclass(frozen=True, slots=True)
class Reporting:
    """What requests depend on and report to."""

    control: Control
    journal: Journal
    outages: Outages
    note_late: Callable[[LateObject], None]
    """Called with an object that was created after the lease was lost."""


class CloudAccess:
    """See `calor.resources.services.CloudServices`."""

    def __init__(
        self,
        reporting: Reporting,
        services: Services,
        shared: SharedState,
        state: ResourceState | None = None,
    ) -> None:
        """`state` is the current resource: its reason shows outages."""
        self._reporting = reporting
        self._control = reporting.control
        self.services = services
        self._shared = shared
        self._state = state

    def for_resource(self, state: ResourceState) -> CloudAccess:
        return CloudAccess(self._reporting, self.services, self._shared, state)

    async def project_id(self) -> str:
        return await self._retry("identity", lambda: self.services.project_id)

    async def user_id(self) -> str:
        return await self._retry("identity", lambda: self.services.user_id)

    async def has(self, service: str) -> bool:
        return await self._retry("identity", partial(self.services.has, service))

    async def request(self, service: str, method: str, *path: str, **request: Any) -> Object:
        return await self._retry(service, partial(self.services.request, service, method, *path, **request))

    async def request_once(
        self,
        service: str,
        method: str,
        *path: str,
        is_done: Callable[[], Awaitable[bool]] | None = None,
        **request: Any,
    ) -> Object:
        async def look() -> Object | None:
            return {} if is_done is not None and await is_done() else None

        ask = partial(self.services.request, service, method, *path, **request)
        return await self._once(
            service, partial(self._work, service, ask), look if is_done is not None else None
        )

    async def create(
        self,
        service: str,
        *path: str,
        body: JsonMapping,
        find: Callable[[], Awaitable[Object | None]] | None = None,
        version: str | None = None,
    ) -> Object:
        async def post() -> Object:
            with self._shared.pending_create():
                ask = partial(self.services.request, service, "POST", *path, body=body, version=version)
                made = unwrapped(await self._work(service, ask))
            if not self._control.holds_lease and made.get("id"):
                id = str(made["id"])
                root = self._control.stack
                self._reporting.note_late(LateObject(root, self.services, service, path, id, version))
            return made

        return await self._once(service, post, find)

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        return await self._retry(service, partial(self.services.show, service, *path, version=version))

    async def show_cached(self, service: str, *path: str) -> Object | None:
        def look() -> Object | None:
            known = "\0".join((self.services.rights, service, *path))
            return self._shared.seen.get_or_load(known, lambda: self.services.show(service, *path))

        return await self._retry(service, look)

    async def list_all(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> list[Object]:
        def read() -> list[Object]:
            return list(self.services.each(service, *path, key=key, params=params, version=version))

        return await self._retry(service, read)

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
        return await self._retry(service, work)

    async def temporary_url(self, method: str, container: str, name: str) -> str:
        sign = partial(self._shared.signer.url, self.services, method, container, name)
        return await self._retry("object", sign)

    async def id_of(self, kind: str, name_or_id: str) -> str:
        look_up = partial(self._shared.lookups.id_of, self.services, kind, name_or_id)
        return await self._retry("identity", look_up)

    async def wait_until(
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

        rights = await self._retry("identity", lambda: self.services.rights)
        poller = self._shared.poller(rights, service, *collection, version or "")
        since = asyncio.get_running_loop().time()
        while True:
            with self._waiting_for(service) as on_unavailable:
                reader = Reader(
                    partial(self._read, service, just_one),
                    partial(self._read, service, all_of_them),
                    on_unavailable,
                )
                found = await self._watch(poller.next(id, since, reader))
            if settled(found):
                return found

    async def _watch(self, reading: asyncio.Future[Object | None]) -> Object | None:
        """The next reading. Raises Stopped when the run is stopped."""
        self._reporting.journal.send()
        stop = asyncio.ensure_future(self._control.stop.wait())
        try:
            await asyncio.wait((reading, stop), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()
            if not reading.done():
                reading.cancel()
        if self._control.stopped():
            raise Stopped
        return reading.result()

    async def _retry(self, service: str, work: Callable[[], Answer]) -> Answer:
        """Runs idempotent work, with retries while the service is unavailable."""
        with self._waiting_for(service) as on_unavailable:
            failures = 0
            while True:
                try:
                    return await self._work(service, work)
                except Transient as error:
                    pause = pause_after(error, failures)
                    if pause is None:
                        raise
                    on_unavailable(error)
                    await self._control.pause(pause)
                    failures += 1

    async def _once(
        self,
        service: str,
        attempt: Callable[[], Awaitable[Object]],
        find: Callable[[], Awaitable[Object | None]] | None,
    ) -> Object:
        """Runs work that must not be repeated: retries only if it was certainly not started, or if `find` returns
        nothing."""
        with self._waiting_for(service) as on_unavailable:
            failures = 0
            while True:
                try:
                    return await attempt()
                except Transient as error:
                    pause = pause_after(error, failures, creating=True)
                    if pause is None or (find is None and not is_refusal(error)):
                        raise
                    on_unavailable(error)
                    await self._control.pause(pause)
                    failures += 1
                    found = await find() if find is not None else None
                    if found is not None:
                        return found

    @contextmanager
    def _waiting_for(self, service: str) -> Iterator[Callable[[CloudError], None]]:
        """Yields a function to report that the service is unavailable, and ends the wait on exit."""
        outages, state = self._reporting.outages, self._state
        if state is None:
            yield lambda error: None
            return
        # Nested calls, such as `find` between two attempts, do not end the wait.
        is_within = outages.is_waiting(state, service)
        try:
            yield partial(outages.begin_wait, state, service)
        finally:
            if not is_within:
                outages.end_wait(state, service)

    async def _work(self, service: str, work: Callable[..., Answer], *args: Any) -> Answer:
        return await self._control.in_thread(work, *args, pool=self._shared.pool(service))

    async def _read(self, service: str, work: Callable[..., Answer], *args: Any) -> Answer:
        """Reads for all waiters, so without the checks of this run."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._shared.pool(service), partial(work, *args))
