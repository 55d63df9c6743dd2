from __future__ import annotations

from calor.language.constraints import one_of
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.aws.common import UNIMPLEMENTED_TAGS
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject, retry_while_used


class VPC(NetworkObject):
    """A network of the project with a router, for the subnets of AWS::EC2::Subnet."""

    type_name = "AWS::EC2::VPC"
    collection = ("networks",)
    wrapper = "network"
    properties = {
        "CidrBlock": Property(str),
        "InstanceTenancy": Property(
            str, default="default", constraints=[one_of("default", "dedicated")], implemented=False
        ),
        "Tags": UNIMPLEMENTED_TAGS,
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {"name": ctx.physical_name(), "admin_state_up": True}

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        async def found() -> Object | None:
            return next(iter(await cls._routers(ctx, cloud)), None)

        if await found() is None:
            body = {"router": {"name": ctx.physical_name(), "admin_state_up": True}}
            await cloud.create("network", "routers", body=body, find=found)

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        for router in await cls._routers(ctx, cloud):
            id = str(router["id"])

            async def attempt(id: str = id) -> Object:
                return await cloud.request("network", "DELETE", "routers", id)

            await retry_while_used(ctx, attempt)

    @classmethod
    async def _routers(cls, ctx: Context, cloud: CloudServices) -> list[Object]:
        return await cloud.list_all("network", "routers", key="routers", params={"name": ctx.physical_name()})
