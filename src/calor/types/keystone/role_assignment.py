"""What the types have in common that only give roles to somebody who is there already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from calor.clouds.errors import NotFound
from calor.language.schema import ResourceType
from calor.types.behaviour import CloudServices, Context
from calor.types.keystone.assigning import Grant, change_grants, grants


class RoleAssignment(ResourceType):
    service = "keystone"
    holder: ClassVar[str]
    """The property that names whom the roles are for: `user` or `group`."""

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        await change_grants(cloud, (), await cls._grants(cloud, props))

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        after = await cls._grants(cloud, props)
        await change_grants(cloud, await cls._left(cloud, ctx), after)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        await change_grants(cloud, await cls._left(cloud, ctx), ())

    @classmethod
    async def _left(cls, cloud: CloudServices, ctx: Context) -> Collection[Grant]:
        """What was given so far, as far as it can still be there."""
        try:
            return await cls._grants(cloud, ctx.properties, gone_is_fine=True)
        except NotFound:
            return ()

    @classmethod
    async def _grants(
        cls, cloud: CloudServices, props: Mapping[str, Any], *, gone_is_fine: bool = False
    ) -> Collection[Grant]:
        holder = await cloud.id_of(f"keystone.{cls.holder}", props[cls.holder])
        return await grants(cloud, f"{cls.holder}s", holder, props["roles"], gone_is_fine=gone_is_fine)
