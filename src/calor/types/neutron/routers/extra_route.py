from __future__ import annotations

from collections.abc import Iterator

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, unsupported
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject, Properties
from calor.types.neutron.base import NeutronType
from calor.types.neutron.networks import implied_dependencies
from calor.types.neutron.routers import routes


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
        yield from implied_dependencies.interfaces_of(peers, router)
        for gateway in peers.having("OS::Neutron::RouterGateway", "router_id", router):
            yield gateway.name

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        if routes.has(await routes.present(cloud, props["router_id"]), props):
            raise ResourceFailed(f"{props['router_id']} has a route to {props['destination']} already")
        await routes.add(cloud, props["router_id"], [props])
        ctx.set_physical_id(_known_as(props))

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        props = ctx.properties
        there = routes.has(await routes.present(await ctx.cloud(), props["router_id"]), props)
        if not there or (ctx.physical_id is None and await ctx.claimed([_known_as(props)])):
            return False
        ctx.set_physical_id(_known_as(props))
        return True

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None or await ctx.claimed([ctx.physical_id]):
            return
        try:
            await routes.remove(await ctx.cloud(), ctx.properties["router_id"], [ctx.properties])
        except NotFound:
            return

    @classmethod
    async def check(cls, ctx: Context) -> None:
        props = ctx.properties
        if not routes.has(await routes.present(await ctx.cloud(), props["router_id"]), props):
            raise ResourceFailed(f"{ctx.physical_id} is gone", "NotFound")


def _known_as(props: Properties) -> str:
    return f"{props['router_id']}:{props['destination']}:{props['nexthop']}"
