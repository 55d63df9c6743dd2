"""The base of types that assign roles to existing users or groups."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from calor.clouds.errors import NotFound
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject, Properties
from calor.types.keystone.role_changes import Grant, change_grants, grants


class RoleAssignment(ResourceType, extends=True):
    service = "keystone"
    holder: ClassVar[str]
    """The property that names whom the roles are for: `user` or `group`."""

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        await change_grants(cloud, (), await cls._grants(cloud, props))

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
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
        cls, cloud: CloudServices, props: Properties, *, gone_is_fine: bool = False
    ) -> Collection[Grant]:
        holder = await cloud.id_of(f"keystone.{cls.holder}", props[cls.holder])
        return await grants(cloud, f"{cls.holder}s", holder, props["roles"], gone_is_fine=gone_is_fine)
