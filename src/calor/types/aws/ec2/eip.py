from __future__ import annotations

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, deprecated
from calor.resources.context import AttributeContext, Context, ObjectView
from calor.resources.services import CloudReader, CloudServices
from calor.resources.values import Properties
from calor.types.aws.ec2.floating_addresses import allocation_of
from calor.types.cloud_objects import CloudObject, Object
from calor.types.nova.floating_ip_association import link
from calor.types.nova.server.ports import associate, external_network


class EIP(CloudObject):
    """A floating IP address from the external network.

    A reference to it returns the address itself. With several external networks, use OS::Neutron::FloatingIP,
    which can choose.
    """

    type_name = "AWS::EC2::EIP"
    adopted_data = ("allocation_id",)
    service = "nova"
    api = "network"
    collection = ("floatingips",)
    wrapper = "floatingip"
    properties = {
        "Domain": Property(
            str,
            "Has no effect: every address is one of a virtual network.",
            constraints=[one_of("vpc")],
            support=deprecated("9.0.0"),
        ),
        "InstanceId": Property(
            str,
            "The server that gets the address. By default, the address is only reserved, for an "
            "AWS::EC2::EIPAssociation.",
            update_allowed=True,
            constraints=[custom("nova.server")],
        ),
    }
    attributes = {
        "AllocationId": Attribute(
            str, "The id of the floating IP, which AWS::EC2::EIPAssociation takes as its AllocationId."
        ),
        "show": SHOW,
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {"floating_network_id": await external_network(await ctx.cloud())}

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return dict(body)

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("floating_network_id") == body["floating_network_id"])

    @classmethod
    def id_of(cls, shown: Object) -> str:
        return str(shown["floating_ip_address"])

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Properties, made: Object) -> None:
        ctx.set_data(allocation_id=made["id"])
        await super().finish(ctx, cloud, given, made)

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if props.get("InstanceId"):
            await link(cloud, props["InstanceId"], ctx.data["allocation_id"])

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        return {}

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        allocation = await allocation_of(ctx, cloud)
        if allocation is not None:
            await associate(cloud, allocation, None)
            if props.get("InstanceId"):
                await link(cloud, props["InstanceId"], allocation)

    @classmethod
    async def shown(cls, ctx: ObjectView, cloud: CloudReader) -> Object | None:
        allocation = await allocation_of(ctx, cloud)
        return await cloud.show("network", "floatingips", allocation) if allocation else None

    @classmethod
    async def read_object(cls, ctx: ObjectView, cloud: CloudReader) -> Object | None:
        """It is known by its address, and not by the id that lists have."""
        return await cls.shown(ctx, cloud)

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        allocation = await allocation_of(ctx, cloud)
        if allocation:
            await cloud.request("network", "DELETE", "floatingips", allocation)

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        if name == "AllocationId":
            return ctx.data.get("allocation_id")
        return super().attribute(ctx, name)
