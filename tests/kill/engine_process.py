"""An engine in a process of its own, to be killed: `engine_process.py DATABASE_URL JOURNAL`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from calor.engine.keeper import Keeper
from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.store import database
from calor.types import catalogue
from calor.types.world import offline_world


class Ledger(ResourceType):
    """Writes each of its effects into a file, as a cloud would keep an object."""

    type_name = "Test::Ledger"
    properties = {
        "value": Property(str, update_allowed=True, default=""),
        "fixed": Property(str, default=""),
        "seconds": Property(float, update_allowed=True, default=0.002),
    }
    attributes = {"value": Attribute(str), "show": SHOW}
    journal: ClassVar[Path]

    @classmethod
    def _write(cls, what: str, ctx: Any, value: str) -> None:
        """One write of a line is done or not done, whenever the process is killed."""
        line = f"{what} {ctx.id} {value}\n".encode()
        file = os.open(cls.journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, line)
        os.close(file)

    @classmethod
    def _written(cls, what: str, ctx: Any) -> bool:
        if not cls.journal.exists():
            return False
        return any(line.startswith(f"{what} {ctx.id} ") for line in cls.journal.read_text().splitlines())

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        await ctx.intend()
        await ctx.sleep(props["seconds"])
        cls._write("create", ctx, props["value"])
        await ctx.sleep(props["seconds"])
        ctx.made(ctx.id)

    @classmethod
    async def find(cls, ctx: Any) -> bool:
        if not cls._written("create", ctx):
            return False
        ctx.made(ctx.id)
        return True

    @classmethod
    async def update(cls, ctx: Any, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        await ctx.sleep(props["seconds"])
        cls._write("update", ctx, props["value"])

    @classmethod
    async def delete(cls, ctx: Any) -> None:
        await ctx.sleep(0.002)
        if cls._written("create", ctx) and not cls._written("delete", ctx):
            cls._write("delete", ctx, "")

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return ctx.properties["value"] if name == "value" else None


def declaration(name: str) -> type[ResourceType] | None:
    return Ledger if name == Ledger.type_name else catalogue.declaration(name)


def main() -> None:
    url, journal = sys.argv[1:]
    Ledger.journal = Path(journal)
    world = replace(offline_world(), declaration=declaration)

    async def serve() -> None:
        await Keeper(database.connect(url), world).serve()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
