from __future__ import annotations

from calor.language.constraints import custom
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject
from calor.types.aws.ec2.virtual_networks import join, part, router_of, routers_at
from calor.types.naming import id_for


class SubnetRouteTableAssociation(ResourceType):
    """Joins a subnet to a route table instead of the router of its VPC."""

    type_name = "AWS::EC2::SubnetRouteTableAssociation"
    service = "neutron"
    properties = {
        "RouteTableId": Property(str, required=True),
        "SubnetId": Property(str, required=True, constraints=[custom("neutron.subnet")]),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        table, subnet = props["RouteTableId"], await id_for(cloud, "neutron.subnet", props["SubnetId"])
        for router in await routers_at(cloud, subnet):
            if router != table:
                await part(ctx, cloud, router, subnet)
        await join(cloud, table, subnet)
        ctx.set_physical_id(f"{table}:{subnet}")

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        table, _, subnet = ctx.physical_id.partition(":")
        await part(ctx, cloud, table, subnet)
        shown = await cloud.show("network", "subnets", subnet)
        if shown is not None:
            router = await router_of(cloud, str(shown["network_id"]))
            await join(cloud, str(router["id"]), subnet)
