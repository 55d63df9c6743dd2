"""Resources that are signalled by a user created for them."""

from __future__ import annotations

from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject


class SignalledResource(ResourceType, extends=True):
    """The object of the resource is a user, whose id is the physical id."""

    create_on_adopt = True

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        ctx.set_physical_id(await ctx.create_user())

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        await ctx.remove_signalling()

    @classmethod
    async def suspend(cls, ctx: Context) -> None:
        await ctx.enable_user(False)

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        await ctx.enable_user(True)
