from __future__ import annotations

from calor.language.schema import SHOW, Attribute, Property, deprecated, hidden
from calor.resources.context import AttributeContext, Context
from calor.resources.values import JsonObject
from calor.types.heat.signals.signal_user import SignalledResource


class HARestarter(SignalledResource):
    """Recreates a resource of the same stack, with its dependants, when signalled."""

    type_name = "OS::Heat::HARestarter"
    support = hidden("10.0.0", deprecated("2015.1"))
    properties = {
        "InstanceId": Property(str, "The name in the template, or the id, of the resource.", required=True),
    }
    attributes = {
        "AlarmUrl": Attribute(str, "A pre-signed URL that signals the resource.", secret=True),
        "show": SHOW,
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await super().create(ctx, props)
        ctx.set_data(alarm_url=await ctx.signed_url())

    @classmethod
    async def signal(cls, ctx: Context, details: object) -> str | None:
        await ctx.recreate(ctx.properties["InstanceId"])
        return None

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> str | None:
        return ctx.data.get("alarm_url") if name == "AlarmUrl" else None
