from __future__ import annotations

from collections.abc import Iterator, Sequence

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, supported
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.naming import id_for
from calor.types.neutron.network_relation import GAVE_WAY, Relation
from calor.types.neutron.networks import implied_dependencies
from calor.types.neutron.routers import routes
from calor.types.neutron.shared_schema import ROUTE

OWN = "_routes"
"""Where a set keeps the routes that it may have given to its router."""


class ExtraRouteSet(Relation):
    type_name = "OS::Neutron::ExtraRouteSet"
    support = supported("14.0.0")
    extension = "extraroute-atomic"
    properties = {
        "router": Property(str, required=True, constraints=[custom("neutron.router")]),
        "routes": Property(list, default=[], update_allowed=True, items=ROUTE),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """A route's next hop has to be reachable through the router."""
        return implied_dependencies.interfaces_of(peers, me.value("router"))

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud, wanted = await ctx.cloud(), props["routes"]
        router = await _router(cloud, props)
        there = await routes.present(cloud, router)
        if clash := [route["destination"] for route in wanted if routes.has(there, route)]:
            raise ResourceFailed(f"{router} has routes to {', '.join(clash)} already")
        await routes.add(cloud, router, wanted)
        ctx.set_physical_id(router)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        router = await _router(cloud, ctx.properties)
        if ctx.data.get(GAVE_WAY) or await _lacks(cloud, router, ctx.properties["routes"]):
            return False
        ctx.set_physical_id(router)
        return True

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud, wanted = await ctx.cloud(), props["routes"]
        own = _own(ctx)
        ctx.set_data(**{OWN: [*own, *(route for route in wanted if not routes.has(own, route))]})
        surplus = [route for route in own if not routes.has(wanted, route)]
        await routes.remove(cloud, str(ctx.physical_id), surplus)
        await routes.add(cloud, str(ctx.physical_id), wanted)
        ctx.set_data(**{OWN: wanted})

    @classmethod
    async def undo(cls, ctx: Context) -> None:
        try:
            await routes.remove(await ctx.cloud(), str(ctx.physical_id), _own(ctx))
        except NotFound:
            return

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        return await (await ctx.cloud()).show("network", "routers", str(ctx.physical_id)) is not None

    @classmethod
    async def check(cls, ctx: Context) -> None:
        if await _lacks(await ctx.cloud(), str(ctx.physical_id), ctx.properties["routes"]):
            raise ResourceFailed(f"routes of {ctx.physical_id} are gone", "NotFound")


def _own(ctx: Context) -> list[routes.Route]:
    return list(ctx.data.get(OWN) or ctx.properties["routes"])


async def _router(cloud: CloudServices, props: JsonObject) -> str:
    return await id_for(cloud, "neutron.router", props["router"])


async def _lacks(cloud: CloudServices, router: str, wanted: Sequence[routes.Route]) -> bool:
    there = await routes.present(cloud, router)
    return any(not routes.has(there, route) for route in wanted)
