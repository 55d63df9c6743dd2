from __future__ import annotations

from calor.clouds.errors import NotFound, Permanent
from calor.language.constraints import custom
from calor.language.schema import Property, deprecated, hidden, supported
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.naming import id_for
from calor.types.nova.base import NovaType
from calor.types.nova.server.ports import associate


class FloatingIPAssociation(NovaType):
    """Associates a floating IP with a server.

    It dates from when the compute service had its own networks. Use OS::Neutron::FloatingIPAssociation, or
    floating_ip in the server's networks.
    """

    type_name = "OS::Nova::FloatingIPAssociation"
    association_properties = ("server_id", "floating_ip")
    support = hidden("11.0.0", deprecated("9.0.0", supported("2014.1")))
    properties = {
        "server_id": Property(
            str,
            "The server that gets the address. It must have a port on a network that a router links to the "
            "address's network.",
            required=True,
            update_allowed=True,
            constraints=[custom("nova.server")],
        ),
        "floating_ip": Property(
            str, "The id of the floating address, not the address itself.", required=True, update_allowed=True
        ),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await link(await ctx.cloud(), props["server_id"], props["floating_ip"])
        ctx.set_physical_id(f"{props['server_id']}-{props['floating_ip']}")

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        if "floating_ip" in changed:
            await associate(cloud, ctx.properties["floating_ip"], None)
        await link(cloud, props["server_id"], props["floating_ip"])

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            await associate(await ctx.cloud(), ctx.properties["floating_ip"], None)


async def link(cloud: CloudServices, server: str, floating_ip: str) -> None:
    """Gives a floating address to the first of a server's ports that can be reached from its network."""
    id = await id_for(cloud, "nova.server", server)
    ports = await cloud.list_all("compute", "servers", id, "os-interface", key="interfaceAttachments")
    refused: NotFound | Permanent | None = None
    for port in ports:
        try:
            await associate(cloud, floating_ip, str(port["port_id"]))
            return
        except (NotFound, Permanent) as error:
            # A port that no router links to the address's network, or that has no IPv4 address.
            refused = error
    if refused is not None:
        raise refused
    raise ResourceFailed(f"server {server} has no port for a floating address", "NotFound")
