"""Objects that were made too late: their maker had lost its stack when it learned of them.

Whoever has the stack now may have looked for the object before it was there, and made another one. It may as well have
found it. That is known once nobody works on the stack any more: an object that no resource has is then removed.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from sqlalchemy import Engine, select

from calor.clouds.errors import CloudError, NotFound
from calor.clouds.services import Services
from calor.store import tables
from calor.store.database import reading
from calor.store.outages import insist

log = logging.getLogger(__name__)

SECONDS = 2.0
"""Between one look and the next."""


@dataclass(frozen=True, slots=True)
class Stray:
    """An object that may belong to nobody."""

    root: str
    services: Services
    service: str
    path: tuple[str, ...]
    id: str
    version: str | None = None


class Strays:
    """Of one engine. They are forgotten when it ends."""

    def __init__(self, database: Engine) -> None:
        self._database = database
        self._tasks: dict[asyncio.Task[None], Stray] = {}

    def watch(self, stray: Stray) -> None:
        """Removes an object when it turns out that no resource has it."""
        log.warning("%s %s was made after its stack was lost", stray.path[-1], stray.id)
        task = asyncio.ensure_future(self._settle(stray))
        self._tasks[task] = stray
        task.add_done_callback(self._tasks.pop)

    def close(self) -> None:
        for task, stray in list(self._tasks.items()):
            log.warning("%s %s may belong to no resource, and is left", stray.path[-1], stray.id)
            task.cancel()

    async def _settle(self, stray: Stray) -> None:
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, insist, lambda: self._is_worked_on(stray.root)):
            await asyncio.sleep(SECONDS)
        await loop.run_in_executor(None, self._remove, stray)

    def _is_worked_on(self, root: str) -> bool:
        stack, lease = tables.stack, tables.lease
        with reading(self._database).connect() as connection:
            status = connection.execute(select(stack.c.status).where(stack.c.id == root)).scalar()
            held = connection.execute(select(lease.c.stack).where(lease.c.stack == root)).scalar()
        return status == "IN_PROGRESS" or held is not None

    def _remove(self, stray: Stray) -> None:
        table = tables.resource
        query = select(table.c.id).where(table.c.physical_id == stray.id)

        def known() -> bool:
            with reading(self._database).connect() as connection:
                return connection.execute(query).first() is not None

        if insist(known):
            return
        try:
            stray.services.send(stray.service, "DELETE", *stray.path, stray.id, version=stray.version)
        except NotFound:
            return
        except CloudError as error:
            log.warning("%s %s, which belongs to no resource, stayed: %s", stray.path[-1], stray.id, error)
        else:
            log.warning("%s %s belonged to no resource, and was removed", stray.path[-1], stray.id)
