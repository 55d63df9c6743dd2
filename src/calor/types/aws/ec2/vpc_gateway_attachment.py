from __future__ import annotations

from collections.abc import Iterator

from calor.language.schema import Peer, Peers, Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject
from calor.types.aws.ec2.virtual_networks import set_gateway, tables_of
from calor.types.nova.server.ports import external_network


class VPCGatewayAttachment(ResourceType):
    """Leads the route tables of a VPC to the external network."""

    type_name = "AWS::EC2::VPCGatewayAttachment"
    service = "neutron"
    properties = {
        "VpcId": Property(str, required=True),
        "InternetGatewayId": Property(str),
        "VpnGatewayId": Property(str, implemented=False),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """The gateway is set on the routers of the network, so its route tables are created first."""
        for table in peers.having("AWS::EC2::RouteTable", "VpcId", me.value("VpcId")):
            yield table.name

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        network = await external_network(cloud)
        for router in await tables_of(cloud, props["VpcId"]):
            await set_gateway(cloud, router, network)
        ctx.set_physical_id(ctx.physical_name())

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        for router in await tables_of(cloud, ctx.properties["VpcId"]):
            await set_gateway(cloud, router, None)
