"""What types whose resource is a container have in common."""

from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.language.schema import ResourceType
from calor.types.behaviour import Context
from calor.types.cloud_objects import SHOWN
from calor.types.swift.objects import look


class ContainerType(ResourceType):
    service = "swift"

    @classmethod
    async def check(cls, ctx: Context) -> None:
        ctx.note(**{SHOWN: await look(await ctx.cloud(), str(ctx.physical_id))})

    @classmethod
    async def exists(cls, ctx: Context) -> bool:
        """Raises NotFound if there is none."""
        await look(await ctx.cloud(), str(ctx.physical_id))
        return True

    @classmethod
    async def observe(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            with suppress(NotFound):
                ctx.note(**{SHOWN: await look(await ctx.cloud(), ctx.physical_id)})
