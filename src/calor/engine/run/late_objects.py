"""Objects that were created after the lease of their stack was lost.

The engine that took the stack over may have found such an object, or looked for it too early and created another one.
Once no engine works on the stack any more, the object is deleted if it belongs to no resource.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from calor.clouds.errors import CloudError, NotFound
from calor.clouds.services import Services
from calor.store.database import Database
from calor.store.outages import retry_until_available
from calor.store.runs import is_worked_on, physical_ids_in_use

log = logging.getLogger(__name__)

SECONDS = 2.0
"""Between two checks."""


@dataclass(frozen=True, slots=True)
class LateObject:
    """An object that may not belong to any resource."""

    root: str
    services: Services
    service: str
    path: tuple[str, ...]
    id: str
    version: str | None = None


class LateObjects:
    """The late objects of one engine, in memory only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tasks: dict[asyncio.Task[None], LateObject] = {}

    def watch(self, late: LateObject) -> None:
        """Deletes an object once no resource has it."""
        log.warning("%s %s was created after the lease of its stack was lost", late.path[-1], late.id)
        task = asyncio.ensure_future(self._settle(late))
        self._tasks[task] = late
        task.add_done_callback(self._tasks.pop)

    def close(self) -> None:
        for task, late in list(self._tasks.items()):
            log.warning("%s %s may not belong to any resource and is not deleted", late.path[-1], late.id)
            task.cancel()

    async def _settle(self, late: LateObject) -> None:
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(
            None, retry_until_available, lambda: is_worked_on(self._database, late.root)
        ):
            await asyncio.sleep(SECONDS)
        await loop.run_in_executor(None, self._remove, late)

    def _remove(self, late: LateObject) -> None:
        if retry_until_available(lambda: physical_ids_in_use(self._database, [late.id])):
            return
        try:
            late.services.send(late.service, "DELETE", *late.path, late.id, version=late.version)
        except NotFound:
            return
        except CloudError as error:
            log.warning(
                "%s %s belonged to no resource, but could not be deleted: %s", late.path[-1], late.id, error
            )
        else:
            log.warning("%s %s belonged to no resource and was deleted", late.path[-1], late.id)
