"""Stacks in another region or cloud, asked for without holding up the walk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from calor.clouds.errors import CloudError
from calor.clouds.heat import RemoteHeat
from calor.types.behaviour import ResourceFailed

Answer = TypeVar("Answer")


async def asked(work: Callable[..., Answer], *args: Any) -> Answer:
    """What a service answers; its errors fail the resource with its words."""
    try:
        return await asyncio.get_running_loop().run_in_executor(None, work, *args)
    except CloudError as error:
        raise ResourceFailed(str(error), type(error).__name__) from None


class RemoteStacks:
    def __init__(self, heat: RemoteHeat) -> None:
        self._heat = heat

    async def create(self, body: Mapping[str, Any]) -> str:
        return await asked(self._heat.create, body)

    async def show(self, id: str) -> dict[str, Any] | None:
        return await asked(self._heat.show, id)

    async def update(self, id: str, body: Mapping[str, Any]) -> None:
        await asked(self._heat.update, id, body)

    async def delete(self, id: str) -> None:
        await asked(self._heat.delete, id)

    async def act(self, id: str, action: str) -> None:
        await asked(self._heat.act, id, action)
