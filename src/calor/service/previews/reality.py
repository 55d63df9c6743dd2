"""Compares a stack with what there really is, for the plan of an update that converges. It reads with the caller's
credentials, and changes nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from calor.clouds.errors import CloudError, Permanent, Transient
from calor.clouds.polling import Poller, Reader
from calor.clouds.services import Services
from calor.engine.cloud_access import Reach
from calor.engine.ids import physical_name
from calor.engine.states import ResourceState
from calor.language.library import Declarations
from calor.plan.drift import can_drift, differing, without_masks
from calor.plan.present import PresentStack, Row, declared_type
from calor.service.errors import ServiceError

Object = dict[str, Any]
Answer = TypeVar("Answer")

LONGEST = 60.0
"""Seconds after which a plan is given up."""
READING = ("GET", "HEAD")

log = logging.getLogger(__name__)


def as_it_is(
    stack: PresentStack, declaration: Declarations, services: Services | None, reach: Reach | None
) -> PresentStack:
    """The stack, and those below, with what their services show: what is gone has failed, what was changed has the
    values that it has now. Raises ServiceError."""
    cloud = Cloud(services, reach) if services is not None and reach is not None else None
    try:
        return asyncio.run(asyncio.wait_for(_compared(stack, declaration, cloud), LONGEST))
    except TimeoutError:
        message = f"What there is could not be read within {LONGEST:.0f} seconds."
    except Transient as error:
        message = f"What there is cannot be read: {error}"
    raise ServiceError("HTTPServiceUnavailable", message)


async def _compared(stack: PresentStack, declaration: Declarations, cloud: Cloud | None) -> PresentStack:
    rows = await asyncio.gather(*(_seen(stack, row, declaration, cloud) for row in stack.rows))
    below = {id: await _compared(one, declaration, cloud) for id, one in stack.below.items()}
    changed = any(new is not old for new, old in zip(rows, stack.rows, strict=True))
    return replace(stack, rows=rows, below=below, drifted=changed)


async def _seen(stack: PresentStack, row: Row, declaration: Declarations, cloud: Cloud | None) -> Row:
    found: Any = declared_type(row, declaration)
    if not can_drift(found, row) or not isinstance(row, ResourceState):
        return row
    try:
        shown = await found.live(Looking(stack, row, found, cloud))
    except Transient:
        raise
    except CloudError as error:
        # The run will not know more.
        log.warning("%s could not be looked at: %s", row.name, error)
        return row
    if shown is None:
        return replace(row, action="CHECK", status="FAILED", reason=f"{row.physical_id} is gone")
    changed = differing(row, shown)
    if not changed:
        return row
    return replace(row, properties={**row.properties, **changed}, data=without_masks(row.data, changed))


@dataclass(frozen=True, slots=True)
class Looking:
    """The part of a type's context that `live` may use."""

    stack: PresentStack
    state: ResourceState
    type: Any
    services: Cloud | None

    @property
    def stack_name(self) -> str:
        return self.stack.name

    @property
    def stack_id(self) -> str:
        return self.stack.id

    @property
    def project(self) -> str:
        return self.stack.project

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def action(self) -> str:
        return self.state.action

    @property
    def status(self) -> str:
        return self.state.status

    @property
    def physical_id(self) -> str | None:
        return self.state.physical_id

    @property
    def properties(self) -> dict[str, Any]:
        return self.state.properties

    @property
    def metadata(self) -> dict[str, Any]:
        return self.state.metadata

    @property
    def data(self) -> dict[str, Any]:
        return self.state.data

    def physical_name(self, limit: int = 255) -> str:
        return physical_name(self.stack_name, self.name, self.id, limit)

    async def cloud(self, region: str | None = None) -> Cloud:
        if self.services is None or region not in (None, self.services.services.region):
            raise Permanent("its cloud cannot be asked")
        return self.services

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.to_thread(work, *args)


@dataclass(slots=True)
class Cloud:
    """The reading half of `calor.types.behaviour.CloudServices`. A service that is away is not waited for."""

    services: Services
    reach: Reach
    _pollers: dict[tuple[str, ...], Poller] = field(default_factory=dict)

    async def project_id(self) -> str:
        return await self._work("identity", lambda: self.services.project_id)

    async def user_id(self) -> str:
        return await self._work("identity", lambda: self.services.user_id)

    async def has(self, service: str) -> bool:
        return await self._work("identity", self.services.has, service)

    async def ask(self, service: str, method: str, *path: str, **request: Any) -> Object:
        _check_reading(method)
        return await self._work(service, partial(self.services.ask, service, method, *path, **request))

    ask_once = ask

    async def send(self, service: str, method: str, *path: str, **request: Any) -> Any:
        _check_reading(method)
        return await self._work(service, partial(self.services.send, service, method, *path, **request))

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        return await self._work(service, partial(self.services.show, service, *path, version=version))

    recent = show

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

        return await self._work(service, read)

    async def id_of(self, kind: str, name_or_id: str) -> str:
        return await self._work(
            "identity", partial(self.reach.lookups.id_of, self.services, kind, name_or_id)
        )

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
        """The object as it is now, whether it is settled or not. Many are read by one list."""
        path = (*collection, details) if details else tuple(collection)

        async def every() -> list[Object]:
            return await self.all(service, *path, key=key or collection[-1], version=version)

        async def one(id: str) -> Object | None:
            return await self.show(service, *collection, id, version=version)

        poller = self._pollers.setdefault((service, *path, version or ""), Poller())
        found = await poller.next(id, asyncio.get_running_loop().time(), Reader(one, every))
        settled(found)
        return found

    async def _work(self, service: str, work: Callable[..., Answer], *args: Any) -> Answer:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.reach.pool(service), partial(work, *args))


def _check_reading(method: str) -> None:
    if method not in READING:
        raise Permanent(f"a plan does not {method}")
