from __future__ import annotations

from typing import Any

from calor.language.schema import SHOW, Attribute, Property, deprecated, hidden
from calor.types.behaviour import Context
from calor.types.heat.signalling import SignalledResource


class HARestarter(SignalledResource):
    """Deletes a resource of the same stack and creates it anew, with its dependants, when signalled."""

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
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await super().create(ctx, props)
        ctx.note(alarm_url=await ctx.signed_url())

    @classmethod
    async def signal(cls, ctx: Context, details: Any) -> str | None:
        await ctx.recreate(ctx.properties["InstanceId"])
        return None

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> str | None:
        return ctx.data.get("alarm_url") if name == "AlarmUrl" else None
