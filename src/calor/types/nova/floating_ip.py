from __future__ import annotations

from calor.language.schema import SHOW, Attribute, Property, deprecated, hidden, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.values import Properties
from calor.types.cloud_objects import SHOWN, CloudObject, Object
from calor.types.naming import id_for
from calor.types.nova.server.ports import external_network


class FloatingIP(CloudObject):
    """An address for reaching a server from outside the cloud.

    It dates from when the compute service had its own networks. Use OS::Neutron::FloatingIP.
    """

    type_name = "OS::Nova::FloatingIP"
    api = "network"
    collection = ("floatingips",)
    wrapper = "floatingip"
    support = hidden("11.0.0", deprecated("9.0.0", supported("2014.1")))
    properties = {
        "pool": Property(
            str,
            "The external network, by name or id, that the address is taken from. By default, it is the only "
            "one.",
        ),
    }
    attributes = {
        "pool": Attribute(str, "The external network that the address is from."),
        "ip": Attribute(str, "The address itself."),
        "show": SHOW,
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        cloud = await ctx.cloud()
        if props.get("pool"):
            return {"floating_network_id": await id_for(cloud, "neutron.network", props["pool"])}
        return {"floating_network_id": await external_network(cloud)}

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return dict(body)

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("floating_network_id") == body["floating_network_id"])

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        shown = ctx.data.get(SHOWN) or {}
        match name:
            case "ip":
                return shown.get("floating_ip_address")
            case "pool":
                return ctx.properties.get("pool") or shown.get("floating_network_id")
        return super().attribute(ctx, name)
