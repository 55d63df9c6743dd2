from __future__ import annotations

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cloud_objects import some
from calor.types.naming import with_ids
from calor.types.neutron.network_relation import Relation


class Quota(Relation):
    type_name = "OS::Neutron::Quota"
    support = supported("8.0.0")
    extension = "quotas"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "subnet": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "network": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "floatingip": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_group_rule": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_group": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "router": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "port": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "subnetpool": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("12.0.0")
        ),
        "rbac_policy": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("12.0.0")
        ),
    }
    translations = [Resolve(("project",), "keystone.project")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        project = str((await with_ids(cloud, cls, props))["project"])
        await cls._limit(cloud, project, props)
        ctx.set_physical_id(project)

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud, project = await ctx.cloud(), str(ctx.physical_id)
        if any(props[name] is None for name in changed):
            await _forget(cloud, project)
        await cls._limit(cloud, project, props)

    @classmethod
    async def undo(cls, ctx: Context) -> None:
        await _forget(await ctx.cloud(), str(ctx.physical_id))

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        """A project always has limits."""
        return True

    @classmethod
    async def _limit(cls, cloud: CloudServices, project: str, props: JsonObject) -> None:
        limits = some(props, [name for name in cls.properties if name != "project"])
        await cloud.request("network", "PUT", "quotas", project, body={"quota": limits})


async def _forget(cloud: CloudServices, project: str) -> None:
    """Gives the project the limits that hold for all."""
    try:
        await cloud.request("network", "DELETE", "quotas", project)
    except NotFound:
        return
