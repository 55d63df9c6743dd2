from __future__ import annotations

from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.aws.common import UNIMPLEMENTED_TAGS
from calor.types.aws.ec2.virtual_networks import router_of, set_gateway, table_note
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject


class RouteTable(NetworkObject):
    """A further router for a VPC, for subnets that are to have routes of their own."""

    type_name = "AWS::EC2::RouteTable"
    support = supported("2014.1")
    collection = ("routers",)
    wrapper = "router"
    properties = {
        "VpcId": Property(str, required=True),
        "Tags": UNIMPLEMENTED_TAGS,
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {"name": ctx.physical_name(), "description": table_note(props["VpcId"])}

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        """Where the VPC leads outside, so does this."""
        gateway = (await router_of(cloud, props["VpcId"])).get("external_gateway_info")
        if gateway:
            await set_gateway(cloud, str(ctx.physical_id), gateway["network_id"])

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        await set_gateway(cloud, str(ctx.physical_id), None)
