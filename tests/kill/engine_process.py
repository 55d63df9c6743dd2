"""An engine in a process of its own, to be killed or stopped:

    python -m tests.kill.engine_process DATABASE_URL FOLDER

In the folder the engines of a machine see each other.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path

from calor.engine.keeping.keeper import Keeper
from calor.resources.contract import ResourceType
from calor.store import database
from calor.types import catalogue
from calor.types.world import offline_world
from tests.kill.crashing_type import Deadly
from tests.kill.journalled import Journalled


def declaration(name: str) -> type[ResourceType] | None:
    own = {one.type_name: one for one in (Deadly, Journalled)}
    return own.get(name) or catalogue.declaration(name)


def main() -> None:
    logging.basicConfig(stream=sys.stderr, format="%(name)s: %(message)s")
    world = replace(offline_world(), declaration=declaration)

    async def serve() -> None:
        await Keeper(
            database.connect(sys.argv[1]),
            world,
            presence_folder=Path(sys.argv[2]),
            give_up=lambda: os._exit(1),
            # Longer than any test stops it, and than machines are slow.
            mute_after=30.0,
        ).serve()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
