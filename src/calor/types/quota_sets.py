"""Limits of a project, as the compute and the volume service keep them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

from calor.clouds.errors import NotFound
from calor.language.schema import ResourceType
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import Object, some
from calor.types.naming import with_ids

PATH = "os-quota-sets"


class QuotaSet(ResourceType):
    api: ClassVar[str]
    """The service, by the short name of `CloudServices`."""

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await cls._set(ctx, props)
        ctx.made(ctx.physical_name())

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        await cls._set(ctx, props)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        """The project has the quotas of all others again."""
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        with suppress(NotFound):
            given = await with_ids(cloud, cls, ctx.properties)
            await cloud.ask(cls.api, "DELETE", PATH, given["project"])

    @classmethod
    async def check_limits(cls, cloud: CloudServices, project: str, limits: Object) -> None:
        """Raises ResourceFailed where they cannot be set."""

    @classmethod
    async def _set(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        limits = some(given, [name for name in cls.properties if name != "project"])
        await cls.check_limits(cloud, given["project"], limits)
        await cloud.ask(cls.api, "PUT", PATH, given["project"], body={"quota_set": limits})
