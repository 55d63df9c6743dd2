from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.behaviour import Context
from calor.types.cloud_objects import Object
from calor.types.nova.base import NovaObject


class ServerGroup(NovaObject):
    """Says whether servers are to run on the same host or on different ones.

    A server joins when its scheduler_hints have the key group with the group's id. Spread over hosts, servers
    that do the same do not all fail together.
    """

    type_name = "OS::Nova::ServerGroup"
    support = supported("2014.2")
    entity = "server_groups"
    collection = ("os-server-groups",)
    plural = "server_groups"
    wrapper = "server_group"
    version = "2.64"
    properties = {
        "name": Property(str, "What the group is called in the compute service. Left out, it is made up."),
        "policies": Property(
            list,
            "One of: anti-affinity puts each server on a host of its own, affinity puts all on the same "
            "one, and a server that has no such host cannot start. The soft- forms do it as far as "
            "possible.",
            default=["anti-affinity"],
            constraints=[one_of("anti-affinity", "affinity", "soft-anti-affinity", "soft-affinity")],
            items=Property(str),
        ),
        "rules": Property(
            dict,
            "Details of the policy.",
            support=supported("17.0.0"),
            fields={
                "max_server_per_host": Property(
                    float,
                    "How many servers of the group may share a host under anti-affinity. Left out, it is "
                    "one.",
                ),
            },
        ),
    }

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        limit = (props.get("rules") or {}).get("max_server_per_host")
        return {
            "name": cls.name_for(ctx, props),
            "policy": props["policies"][0],
            **({"rules": {"max_server_per_host": int(limit)}} if limit is not None else {}),
        }

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        """Nova's list of groups cannot be asked for names."""
        return {}

    @classmethod
    async def is_well(cls, ctx: Context) -> bool:
        return await cls.shown(ctx, await ctx.cloud()) is not None
