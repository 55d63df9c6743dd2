"""Read-only access to the services of a cloud with the rights of a caller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from calor.clouds.errors import Permanent
from calor.clouds.polling import Poller, Reader
from calor.clouds.services import Services
from calor.clouds.shared_state import SharedState
from calor.resources.values import JsonMapping

Object = dict[str, object]
Answer = TypeVar("Answer")


@dataclass(slots=True)
class CallerCloud:
    """See `calor.resources.services.CloudReader`. Does not wait for unavailable services."""

    services: Services
    shared: SharedState
    _pollers: dict[tuple[str, ...], Poller] = field(default_factory=dict)

    async def project_id(self) -> str:
        return await self._work("identity", lambda: self.services.project_id)

    async def user_id(self) -> str:
        return await self._work("identity", lambda: self.services.user_id)

    async def has(self, service: str) -> bool:
        return await self._work("identity", self.services.has, service)

    async def request(
        self,
        service: str,
        method: str,
        *path: str,
        body: JsonMapping | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> Object:
        _check_reading(method)
        request = partial(self.services.request, service, method, *path, params=params, version=version)
        return await self._work(service, request)

    async def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> object:
        _check_reading(method)
        request = partial(self.services.send, service, method, *path, headers=headers, params=params)
        return await self._work(service, request)

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        return await self._work(service, partial(self.services.show, service, *path, version=version))

    async def show_cached(self, service: str, *path: str) -> Object | None:
        return await self.show(service, *path)

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

        return await self._work(service, read)

    async def id_of(self, kind: str, name_or_id: str) -> str:
        return await self._work(
            "identity", partial(self.shared.lookups.id_of, self.services, kind, name_or_id)
        )

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
        """The current object, whether it is settled or not. Several are read with one list."""
        path = (*collection, details) if details else tuple(collection)

        async def every() -> list[Object]:
            return await self.list_all(service, *path, key=key or collection[-1], version=version)

        async def one(id: str) -> Object | None:
            return await self.show(service, *collection, id, version=version)

        poller = self._pollers.setdefault((service, *path, version or ""), Poller())
        found = await poller.next(id, asyncio.get_running_loop().time(), Reader(one, every))
        settled(found)
        return found

    async def _work(self, service: str, work: Callable[..., Answer], *args: object) -> Answer:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.shared.pool(service), partial(work, *args))


def _check_reading(method: str) -> None:
    if method not in ("GET", "HEAD"):
        raise Permanent(f"{method} is not allowed: access is read-only")
