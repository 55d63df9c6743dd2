from __future__ import annotations

from collections.abc import Iterator

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject, Properties
from calor.types.neutron.network_relation import GAVE_WAY, Relation
from calor.types.neutron.networks import implied_dependencies


class FloatingIPAssociation(Relation):
    """Associates a floating IP with a port.

    For a floating IP outside the template, or that other resources need to know before the port exists;
    otherwise port_id of OS::Neutron::FloatingIP is enough. Deleting it leaves both, apart from each other.
    """

    type_name = "OS::Neutron::FloatingIPAssociation"
    association_properties = ("floatingip_id", "port_id")
    properties = {
        "floatingip_id": Property(
            str,
            "The floating IP. A change releases the old one and associates the new one.",
            required=True,
            update_allowed=True,
        ),
        "port_id": Property(
            str,
            "The port that it is to lead to, which needs an address by then.",
            required=True,
            update_allowed=True,
            constraints=[custom("neutron.port")],
        ),
        "fixed_ip_address": Property(
            str,
            "The port's address, if there are several.",
            update_allowed=True,
            constraints=[custom("ip_addr")],
        ),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        return implied_dependencies.first_address_dependencies(peers, me.value("port_id"))

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await _lead(await ctx.cloud(), props["floatingip_id"], props["port_id"], props["fixed_ip_address"])
        ctx.set_physical_id(ctx.id)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        if ctx.data.get(GAVE_WAY) or not await _leads(await ctx.cloud(), ctx.properties):
            return False
        ctx.set_physical_id(ctx.id)
        return True

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        if props["floatingip_id"] != ctx.properties["floatingip_id"]:
            await _free(cloud, ctx.properties)
        await _lead(cloud, props["floatingip_id"], props["port_id"], props["fixed_ip_address"])

    @classmethod
    async def undo(cls, ctx: Context) -> None:
        await _free(await ctx.cloud(), ctx.properties)

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        return await cloud.show("network", "floatingips", ctx.properties["floatingip_id"]) is not None

    @classmethod
    async def check(cls, ctx: Context) -> None:
        if not await _leads(await ctx.cloud(), ctx.properties):
            ends = ctx.properties["floatingip_id"], ctx.properties["port_id"]
            raise ResourceFailed(f"{ends[0]} does not lead to {ends[1]}", "NotFound")


async def _leads(cloud: CloudServices, given: Properties) -> bool:
    shown = await cloud.show("network", "floatingips", given["floatingip_id"])
    return shown is not None and shown.get("port_id") == given["port_id"]


async def _lead(cloud: CloudServices, id: str, port: str | None, address: str | None = None) -> None:
    target = {"port_id": port, **({"fixed_ip_address": address} if address else {})}
    await cloud.request("network", "PUT", "floatingips", id, body={"floatingip": target})


async def _free(cloud: CloudServices, given: Properties) -> None:
    """Leads a floating IP nowhere, unless something else leads it elsewhere by now."""
    if not await _leads(cloud, given):
        return
    try:
        await _lead(cloud, given["floatingip_id"], None)
    except NotFound:
        return
