"""What types whose resource is a container have in common."""

from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.resources.context import Context, LookupContext
from calor.resources.contract import ResourceType
from calor.types.cloud_objects import SHOWN
from calor.types.swift.object_store import look


class ContainerType(ResourceType, extends=True):
    service = "swift"

    @classmethod
    async def check(cls, ctx: Context) -> None:
        ctx.set_data(**{SHOWN: await look(await ctx.cloud(), str(ctx.physical_id))})

    @classmethod
    async def exists(cls, ctx: LookupContext) -> bool:
        """Raises NotFound if there is none."""
        await look(await ctx.cloud(), str(ctx.physical_id))
        return True

    @classmethod
    async def refresh(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            with suppress(NotFound):
                ctx.set_data(**{SHOWN: await look(await ctx.cloud(), ctx.physical_id)})
