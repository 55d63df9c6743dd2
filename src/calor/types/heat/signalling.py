"""Resources with a user of their own, by which they are signalled."""

from __future__ import annotations

from typing import Any

from calor.types.base import SignalledType
from calor.types.behaviour import Context


class UserLife:
    """The user is the object that is made; its id stands for the resource."""

    made_when_adopted = True

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        ctx.made(await ctx.make_user())

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        await ctx.remove_signalling()

    @classmethod
    async def suspend(cls, ctx: Context) -> None:
        await ctx.enable_user(False)

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        await ctx.enable_user(True)


class SignalledResource(UserLife, SignalledType):
    pass
