from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import one_of
from calor.language.schema import Property
from calor.types.aws.common import UNIMPLEMENTED_TAGS
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import Object
from calor.types.neutron.objects import NetworkObject, once_unused


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
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        return {"name": ctx.physical_name(), "admin_state_up": True}

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        async def found() -> Object | None:
            return next(iter(await cls._routers(ctx, cloud)), None)

        if await found() is None:
            body = {"router": {"name": ctx.physical_name(), "admin_state_up": True}}
            await cloud.make("network", "routers", body=body, find=found)

    @classmethod
    async def clear(cls, ctx: Context, cloud: CloudServices) -> None:
        for router in await cls._routers(ctx, cloud):
            id = str(router["id"])

            async def attempt(id: str = id) -> Object:
                return await cloud.ask("network", "DELETE", "routers", id)

            await once_unused(ctx, attempt)

    @classmethod
    async def _routers(cls, ctx: Context, cloud: CloudServices) -> list[Object]:
        return await cloud.all("network", "routers", key="routers", params={"name": ctx.physical_name()})
