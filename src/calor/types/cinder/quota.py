from __future__ import annotations

from contextlib import suppress
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, supported
from calor.types.behaviour import Context, ResourceFailed
from calor.types.cinder.base import CinderType
from calor.types.cloud_objects import some
from calor.types.naming import with_ids


class Quota(CinderType):
    type_name = "OS::Cinder::Quota"
    support = supported("7.0.0")
    extension = "os-quota-sets"
    entity = "quotas"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "gigabytes": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "volumes": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "backups": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("16.0.0")
        ),
        "backup_gigabytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("16.0.0")
        ),
        "snapshots": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
    }
    translations = [Resolve(("project",), "get_project_id")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]

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
        cloud = await ctx.cloud()
        with suppress(NotFound):
            given = await with_ids(cloud, cls, ctx.properties)
            await cloud.ask("volume", "DELETE", "os-quota-sets", given["project"])

    @classmethod
    async def _set(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        limits = some(given, [name for name in cls.properties if name != "project"])
        path = ("os-quota-sets", given["project"])
        usage = (await cloud.ask("volume", "GET", *path, params={"usage": "True"}))["quota_set"]
        for name, limit in limits.items():
            used = (usage.get(name) or {}).get("in_use", 0)
            if limit != -1 and limit < used:
                raise ResourceFailed(f"{name} cannot be {limit}: {used} are in use", "ValueError")
        await cloud.ask("volume", "PUT", *path, body={"quota_set": limits})
