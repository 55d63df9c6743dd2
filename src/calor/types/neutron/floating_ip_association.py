from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property
from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.neutron import waiting
from calor.types.neutron.relations import GAVE_WAY, Relation


class FloatingIPAssociation(Relation):
    """Makes a floating IP lead to a port.

    For a floating IP that is not of the template, or that other resources need to know before the port
    exists; otherwise port_id of OS::Neutron::FloatingIP is enough. Deleting it leaves both, apart from each
    other.
    """

    type_name = "OS::Neutron::FloatingIPAssociation"
    ends = ("floatingip_id", "port_id")
    properties = {
        "floatingip_id": Property(
            str,
            "The floating IP. A change frees the old one and takes the new one.",
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
            "Which of the port's addresses, when there are several.",
            update_allowed=True,
            constraints=[custom("ip_addr")],
        ),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        return waiting.way_to_first_address(peers, me.value("port_id"))

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await _lead(await ctx.cloud(), props["floatingip_id"], props["port_id"], props["fixed_ip_address"])
        ctx.made(ctx.id)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        if ctx.data.get(GAVE_WAY) or not await _leads(await ctx.cloud(), ctx.properties):
            return False
        ctx.made(ctx.id)
        return True

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        if props["floatingip_id"] != ctx.properties["floatingip_id"]:
            await _free(cloud, ctx.properties)
        await _lead(cloud, props["floatingip_id"], props["port_id"], props["fixed_ip_address"])

    @classmethod
    async def undo(cls, ctx: Context) -> None:
        await _free(await ctx.cloud(), ctx.properties)

    @classmethod
    async def is_well(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        return await cloud.show("network", "floatingips", ctx.properties["floatingip_id"]) is not None

    @classmethod
    async def check(cls, ctx: Context) -> None:
        if not await _leads(await ctx.cloud(), ctx.properties):
            ends = ctx.properties["floatingip_id"], ctx.properties["port_id"]
            raise ResourceFailed(f"{ends[0]} does not lead to {ends[1]}", "NotFound")


async def _leads(cloud: CloudServices, given: Mapping[str, Any]) -> bool:
    shown = await cloud.show("network", "floatingips", given["floatingip_id"])
    return shown is not None and shown.get("port_id") == given["port_id"]


async def _lead(cloud: CloudServices, id: str, port: str | None, address: str | None = None) -> None:
    target = {"port_id": port, **({"fixed_ip_address": address} if address else {})}
    await cloud.ask("network", "PUT", "floatingips", id, body={"floatingip": target})


async def _free(cloud: CloudServices, given: Mapping[str, Any]) -> None:
    """Leads a floating IP nowhere, unless something else leads it elsewhere by now."""
    if not await _leads(cloud, given):
        return
    try:
        await _lead(cloud, given["floatingip_id"], None)
    except NotFound:
        return
