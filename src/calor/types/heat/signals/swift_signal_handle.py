from __future__ import annotations

from calor.language.schema import SHOW, Attribute, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.values import JsonMapping, JsonObject
from calor.types.heat.signals.wait_base import POLLED_EVERY, Handle, Keys, with_defaults


class SwiftSignalHandle(Handle):
    type_name = "OS::Heat::SwiftSignalHandle"
    support = supported("2014.2")
    service = "swift"
    secret_reference = True
    attributes = {
        "token": Attribute(str, live=True, secret=True),
        "endpoint": Attribute(str, live=True, secret=True),
        "curl_cli": Attribute(str, live=True, secret=True),
        "show": SHOW,
    }
    keys = Keys("status", "reason", "id", "data", kind="SwiftSignal")

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        ctx.set_physical_id(await ctx.temporary_url(many=True))

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        await ctx.remove_signalling()

    @classmethod
    def completed(cls, details: object, received: JsonMapping) -> object:
        return with_defaults(details, received)

    @classmethod
    async def collect(cls, ctx: Context) -> float:
        for details in await ctx.collect_signals():
            await cls.take(ctx, details)
        return POLLED_EVERY

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> str | None:
        if ctx.physical_id is None:
            return None
        match name:
            case "token":
                # Whoever knows the address needs none.
                return ""
            case "endpoint":
                return ctx.physical_id
            case "curl_cli":
                return f"curl -i -X PUT '{ctx.physical_id}'"
        return None
