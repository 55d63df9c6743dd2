from __future__ import annotations

from contextlib import suppress
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, deprecated, supported
from calor.types.behaviour import Context
from calor.types.cloud_objects import some
from calor.types.naming import with_ids
from calor.types.nova.base import NovaType


class Quota(NovaType):
    """How much of the compute service a project may use. For administrators only; -1 means without limit."""

    type_name = "OS::Nova::Quota"
    support = supported("8.0.0")
    entity = "quotas"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "cores": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "fixed_ips": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "floating_ips": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "instances": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "injected_files": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=deprecated("14.0.0")
        ),
        "injected_file_content_bytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=deprecated("14.0.0")
        ),
        "injected_file_path_bytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=deprecated("14.0.0")
        ),
        "key_pairs": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "metadata_items": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "ram": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_groups": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_group_rules": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "server_groups": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "server_group_members": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
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
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        with suppress(NotFound):
            given = await with_ids(cloud, cls, ctx.properties)
            await cloud.ask("compute", "DELETE", "os-quota-sets", given["project"])

    @classmethod
    async def _set(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        limits = some(given, [name for name in cls.properties if name != "project"])
        await cloud.ask("compute", "PUT", "os-quota-sets", given["project"], body={"quota_set": limits})
