"""Stacks in another region or cloud, asked for without holding up the walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from calor.clouds.errors import CloudError, Transient
from calor.clouds.heat import RemoteHeat
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.engine.runs import Run

Answer = TypeVar("Answer")


RETRY_PAUSES = (0.1, 0.3, 1.0, 2.0, 4.0, 4.0)
"""Seconds after which a service that is away for a moment is asked again."""


async def asked(run: Run, work: Callable[..., Answer], *args: Any) -> Answer:
    """What a service answers; its errors fail the resource with its words. The work is such that it can be done
    twice: a service that does not answer is asked again."""
    for pause in RETRY_PAUSES:
        try:
            return await run.in_thread(work, *args)
        except Transient:
            await run.pause(pause)
        except CloudError as error:
            raise ResourceFailed(str(error), type(error).__name__) from None
    return await asked_once(run, work, *args)


async def asked_once(run: Run, work: Callable[..., Answer], *args: Any) -> Answer:
    """The same for what must not be done twice."""
    try:
        return await run.in_thread(work, *args)
    except CloudError as error:
        raise ResourceFailed(str(error), type(error).__name__) from None


class RemoteStacks:
    def __init__(self, run: Run, heat: RemoteHeat) -> None:
        self._run = run
        self._heat = heat

    async def create(self, body: Mapping[str, Any]) -> str:
        return await asked_once(self._run, self._heat.create, body)

    async def show(self, id: str) -> dict[str, Any] | None:
        return await asked(self._run, self._heat.show, id)

    async def update(self, id: str, body: Mapping[str, Any]) -> None:
        await asked(self._run, self._heat.update, id, body)

    async def delete(self, id: str) -> None:
        await asked(self._run, self._heat.delete, id)

    async def act(self, id: str, action: str) -> None:
        await asked(self._run, self._heat.act, id, action)
