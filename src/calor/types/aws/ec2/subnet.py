from __future__ import annotations

from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import AttributeContext, Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.aws.common import UNIMPLEMENTED_TAGS
from calor.types.aws.ec2.virtual_networks import join, part, router_of, routers_at
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject


class Subnet(NetworkObject):
    """A subnet of a VPC, joined to its router."""

    type_name = "AWS::EC2::Subnet"
    collection = ("subnets",)
    wrapper = "subnet"
    properties = {
        "AvailabilityZone": Property(str),
        "CidrBlock": Property(str, required=True),
        "VpcId": Property(str, required=True),
        "Tags": UNIMPLEMENTED_TAGS,
    }
    attributes = {
        "AvailabilityZone": Attribute(str),
        "show": SHOW,
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {
            "name": ctx.physical_name(),
            "network_id": props["VpcId"],
            "cidr": props["CidrBlock"],
            "ip_version": 4,
        }

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if not await routers_at(cloud, str(ctx.physical_id)):
            router = await router_of(cloud, props["VpcId"])
            await join(cloud, str(router["id"]), str(ctx.physical_id))

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        for router in await routers_at(cloud, str(ctx.physical_id)):
            await part(ctx, cloud, router, str(ctx.physical_id))

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        if name == "AvailabilityZone":
            return ctx.properties.get("AvailabilityZone")
        return super().attribute(ctx, name)
