from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, supported
from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.naming import id_for
from calor.types.neutron import routes, waiting
from calor.types.neutron.common import ROUTE
from calor.types.neutron.relations import GAVE_WAY, Relation

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
        return waiting.interfaces_of(peers, me.value("router"))

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud, wanted = await ctx.cloud(), props["routes"]
        router = await _router(cloud, props)
        there = await routes.present(cloud, router)
        if clash := [route["destination"] for route in wanted if routes.has(there, route)]:
            raise ResourceFailed(f"{router} has routes to {', '.join(clash)} already")
        await routes.add(cloud, router, wanted)
        ctx.made(router)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        router = await _router(cloud, ctx.properties)
        if ctx.data.get(GAVE_WAY) or await _lacks(cloud, router, ctx.properties["routes"]):
            return False
        ctx.made(router)
        return True

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        cloud, wanted = await ctx.cloud(), props["routes"]
        own = _own(ctx)
        ctx.note(**{OWN: [*own, *(route for route in wanted if not routes.has(own, route))]})
        surplus = [route for route in own if not routes.has(wanted, route)]
        await routes.take_away(cloud, str(ctx.physical_id), surplus)
        await routes.add(cloud, str(ctx.physical_id), wanted)
        ctx.note(**{OWN: wanted})

    @classmethod
    async def undo(cls, ctx: Context) -> None:
        try:
            await routes.take_away(await ctx.cloud(), str(ctx.physical_id), _own(ctx))
        except NotFound:
            return

    @classmethod
    async def is_well(cls, ctx: Context) -> bool:
        return await (await ctx.cloud()).show("network", "routers", str(ctx.physical_id)) is not None

    @classmethod
    async def check(cls, ctx: Context) -> None:
        if await _lacks(await ctx.cloud(), str(ctx.physical_id), ctx.properties["routes"]):
            raise ResourceFailed(f"routes of {ctx.physical_id} are gone", "NotFound")


def _own(ctx: Context) -> list[routes.Route]:
    return list(ctx.data.get(OWN) or ctx.properties["routes"])


async def _router(cloud: CloudServices, props: dict[str, Any]) -> str:
    return await id_for(cloud, "neutron.router", props["router"])


async def _lacks(cloud: CloudServices, router: str, wanted: Sequence[routes.Route]) -> bool:
    there = await routes.present(cloud, router)
    return any(not routes.has(there, route) for route in wanted)
