from __future__ import annotations

from collections.abc import Sequence

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import AttributeContext, Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.aws.common import UNIMPLEMENTED_TAGS
from calor.types.cloud_objects import SHOWN, Object
from calor.types.naming import id_for
from calor.types.neutron.network_object import NetworkObject


class NetworkInterface(NetworkObject):
    """A port on a subnet, for the NetworkInterfaces of an AWS::EC2::Instance."""

    type_name = "AWS::EC2::NetworkInterface"
    collection = ("ports",)
    wrapper = "port"
    properties = {
        "Description": Property(str),
        "GroupSet": Property(list, update_allowed=True),
        "PrivateIpAddress": Property(str),
        "SourceDestCheck": Property(bool, implemented=False),
        "SubnetId": Property(str, required=True, constraints=[custom("neutron.subnet")]),
        "Tags": UNIMPLEMENTED_TAGS,
    }
    attributes = {
        "PrivateIpAddress": Attribute(str),
        "show": SHOW,
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        cloud = await ctx.cloud()
        subnet = await cloud.show(
            "network", "subnets", await id_for(cloud, "neutron.subnet", props["SubnetId"])
        )
        if subnet is None:
            raise ResourceFailed(f"there is no subnet {props['SubnetId']}", "NotFound")
        address = {"ip_address": props["PrivateIpAddress"]} if props.get("PrivateIpAddress") else {}
        groups = await _groups(cloud, props.get("GroupSet") or ())
        return {
            "name": ctx.physical_name(),
            "admin_state_up": True,
            "network_id": subnet["network_id"],
            "fixed_ips": [{"subnet_id": subnet["id"], **address}],
            **({"security_groups": groups} if groups else {}),
        }

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        """Without groups it has that of the project."""
        return {"security_groups": await _groups(await ctx.cloud(), props.get("GroupSet") or ("default",))}

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        if name == "PrivateIpAddress":
            addresses = (ctx.data.get(SHOWN) or {}).get("fixed_ips") or ()
            return addresses[0]["ip_address"] if addresses else None
        return super().attribute(ctx, name)


async def _groups(cloud: CloudServices, names: Sequence[str]) -> list[str]:
    return [await id_for(cloud, "neutron.security_group", str(name)) for name in names]
