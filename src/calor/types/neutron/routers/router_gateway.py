from __future__ import annotations

from collections.abc import Iterator

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, Replace, Resolve, deprecated, hidden
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cloud_objects import Object
from calor.types.naming import with_ids
from calor.types.neutron.base import NeutronType
from calor.types.neutron.network_object import retry_while_used
from calor.types.neutron.networks import implied_dependencies


class RouterGateway(NeutronType):
    """Joins a router to an external network.

    Old templates have it. In new ones use external_gateway_info of OS::Neutron::Router, which does the same.
    """

    type_name = "OS::Neutron::RouterGateway"
    support = hidden("5.0.0", deprecated("2014.1"))
    properties = {
        "router_id": Property(
            str, "The id of the router to lead out.", required=True, constraints=[custom("neutron.router")]
        ),
        "network_id": Property(
            str,
            "Use network.",
            constraints=[custom("neutron.network")],
            support=hidden("9.0.0", deprecated("2014.2")),
        ),
        "network": Property(
            str, "The external network, by name or id.", constraints=[custom("neutron.network")]
        ),
    }
    translations = [
        Replace(("network",), source=("network_id",)),
        Resolve(("network",), "neutron.network"),
    ]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """The router's interfaces and the subnets of the external network are created first."""
        yield from implied_dependencies.interfaces_of(peers, me.value("router_id"))
        yield from implied_dependencies.subnets(peers, me.value("network"))

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        await _lead(cloud, given["router_id"], {"network_id": given["network"]})
        ctx.set_physical_id(f"{given['router_id']}:{given['network']}")

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, ctx.properties)
        if await _way_out(cloud, given["router_id"]) != given["network"]:
            return False
        ctx.set_physical_id(f"{given['router_id']}:{given['network']}")
        return True

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None or await ctx.claimed([ctx.physical_id]):
            return
        cloud = await ctx.cloud()
        router, _, network = ctx.physical_id.partition(":")
        # Something else may have given the router another way out.
        if await _way_out(cloud, router) != network:
            return

        async def part() -> Object:
            return await _lead(cloud, router, {})

        try:
            await retry_while_used(ctx, part)
        except NotFound:
            return

    @classmethod
    async def check(cls, ctx: Context) -> None:
        router, _, network = str(ctx.physical_id).partition(":")
        if await _way_out(await ctx.cloud(), router) != network:
            raise ResourceFailed(f"{router} does not lead to {network}", "NotFound")


async def _lead(cloud: CloudServices, router: str, gateway: Object) -> Object:
    return await cloud.request(
        "network", "PUT", "routers", router, body={"router": {"external_gateway_info": gateway}}
    )


async def _way_out(cloud: CloudServices, router: str) -> str | None:
    shown = await cloud.show("network", "routers", router)
    return ((shown or {}).get("external_gateway_info") or {}).get("network_id")
