"""Limits of a project, as the compute and the volume service keep them."""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar

from calor.clouds.errors import NotFound
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cloud_objects import Object, some
from calor.types.naming import with_ids

PATH = "os-quota-sets"


class QuotaSet(ResourceType, extends=True):
    api: ClassVar[str]
    """The service, by the short name of `CloudServices`."""

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await cls._set(ctx, props)
        ctx.set_physical_id(ctx.physical_name())

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        await cls._set(ctx, props)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        """The project has the quotas of all others again."""
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        with suppress(NotFound):
            given = await with_ids(cloud, cls, ctx.properties)
            await cloud.request(cls.api, "DELETE", PATH, given["project"])

    @classmethod
    async def check_limits(cls, cloud: CloudServices, project: str, limits: Object) -> None:
        """Raises ResourceFailed where they cannot be set."""

    @classmethod
    async def _set(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        limits = some(given, [name for name in cls.properties if name != "project"])
        await cls.check_limits(cloud, given["project"], limits)
        await cloud.request(cls.api, "PUT", PATH, given["project"], body={"quota_set": limits})
