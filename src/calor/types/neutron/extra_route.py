from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, unsupported
from calor.types.behaviour import Context, ResourceFailed
from calor.types.neutron import routes, waiting
from calor.types.neutron.base import NeutronType


class ExtraRoute(NeutronType):
    type_name = "OS::Neutron::ExtraRoute"
    support = unsupported()
    extension = "extraroute"
    properties = {
        "router_id": Property(str, required=True, constraints=[custom("neutron.router")]),
        "destination": Property(str, required=True),
        "nexthop": Property(str, required=True),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """A route's next hop has to be reachable through the router."""
        router = me.value("router_id")
        yield from waiting.interfaces_of(peers, router)
        for gateway in peers.having("OS::Neutron::RouterGateway", "router_id", router):
            yield gateway.name

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        if routes.has(await routes.present(cloud, props["router_id"]), props):
            raise ResourceFailed(f"{props['router_id']} has a route to {props['destination']} already")
        await routes.add(cloud, props["router_id"], [props])
        ctx.made(_known_as(props))

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        props = ctx.properties
        there = routes.has(await routes.present(await ctx.cloud(), props["router_id"]), props)
        if not there or (ctx.physical_id is None and await ctx.taken([_known_as(props)])):
            return False
        ctx.made(_known_as(props))
        return True

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None or await ctx.taken([ctx.physical_id]):
            return
        try:
            await routes.take_away(await ctx.cloud(), ctx.properties["router_id"], [ctx.properties])
        except NotFound:
            return

    @classmethod
    async def check(cls, ctx: Context) -> None:
        props = ctx.properties
        if not routes.has(await routes.present(await ctx.cloud(), props["router_id"]), props):
            raise ResourceFailed(f"{ctx.physical_id} is gone", "NotFound")


def _known_as(props: Mapping[str, Any]) -> str:
    return f"{props['router_id']}:{props['destination']}:{props['nexthop']}"
