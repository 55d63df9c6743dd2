"""Stacks in another region or cloud, without blocking the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from calor.clouds.errors import CloudError, Transient
from calor.clouds.heat import RemoteHeat
from calor.clouds.retries import pause_after
from calor.engine.run.control import Control
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonMapping, JsonObject

Answer = TypeVar("Answer")


async def request(control: Control, work: Callable[..., Answer], *args: Any) -> Answer:
    """Sends an idempotent request, with retries while the service is unavailable. Errors are raised as
    ResourceFailed."""
    failures = 0
    while True:
        try:
            return await control.in_thread(work, *args)
        except CloudError as error:
            pause = pause_after(error, failures) if isinstance(error, Transient) else None
            if pause is None:
                raise ResourceFailed(str(error), type(error).__name__) from None
            await control.pause(pause)
            failures += 1


async def request_once(control: Control, work: Callable[..., Answer], *args: Any) -> Answer:
    """Sends a request that must not be repeated. Errors are raised as ResourceFailed."""
    try:
        return await control.in_thread(work, *args)
    except CloudError as error:
        raise ResourceFailed(str(error), type(error).__name__) from None


class RemoteStacks:
    def __init__(self, control: Control, heat: RemoteHeat) -> None:
        self._control = control
        self._heat = heat

    async def create(self, body: JsonMapping) -> str:
        return await request_once(self._control, self._heat.create, body)

    async def show(self, id: str) -> JsonObject | None:
        return await request(self._control, self._heat.show, id)

    async def update(self, id: str, body: JsonMapping) -> None:
        await request(self._control, self._heat.update, id, body)

    async def delete(self, id: str) -> None:
        await request(self._control, self._heat.delete, id)

    async def act(self, id: str, action: str) -> None:
        await request(self._control, self._heat.act, id, action)
