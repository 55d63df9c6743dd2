"""An engine in a process of its own, to be killed or stopped: `engine_process.py DATABASE_URL`."""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import replace

from journalled import Journalled

from calor.engine.keeper import Keeper
from calor.language.schema import ResourceType
from calor.store import database
from calor.types import catalogue
from calor.types.world import offline_world


def declaration(name: str) -> type[ResourceType] | None:
    return Journalled if name == Journalled.type_name else catalogue.declaration(name)


def main() -> None:
    logging.basicConfig(stream=sys.stderr, format="%(name)s: %(message)s")
    world = replace(offline_world(), declaration=declaration)

    async def serve() -> None:
        await Keeper(database.connect(sys.argv[1]), world).serve()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
