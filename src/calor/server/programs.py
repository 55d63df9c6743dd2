"""What the processes of a server run: the engine, the API, the embedded cloud."""

from __future__ import annotations

import asyncio
import signal

from calor.engine.keeper import Keeper
from calor.server.bell import Bell
from calor.server.settings import Settings
from calor.store import database
from calor.types.world import offline_world


def engine_main(settings: Settings, bell: Bell) -> None:
    """Takes up work until SIGTERM."""
    asyncio.run(_engine(settings, bell))


async def _engine(settings: Settings, bell: Bell) -> None:
    loop = asyncio.get_running_loop()
    keeper = Keeper(database.connect(settings.database_url), offline_world())

    def rung() -> None:
        bell.hush()
        keeper.ring()

    loop.add_reader(bell.reader, rung)
    task = asyncio.ensure_future(keeper.serve())
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        pass
    finally:
        keeper.writer.close()
