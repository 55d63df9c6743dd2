from __future__ import annotations

from calor.language.schema import supported
from calor.resources.context import Context
from calor.resources.values import JsonObject
from calor.types.heat.signals.wait_base import HandleType, Keys


class WaitConditionHandle(HandleType):
    """The target of signals for an AWS::CloudFormation::WaitCondition.

    A reference to it returns a pre-signed URL, to be passed to a server in its user data. A signal is a PUT to
    it with Status, Reason, UniqueId and Data, all of them, as JSON.
    """

    type_name = "AWS::CloudFormation::WaitConditionHandle"
    support = supported("2014.1")
    secret_reference = True
    keys = Keys("Status", "Reason", "UniqueId", "Data")

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await super().create(ctx, props)
        ctx.set_reference(await ctx.signed_url("waitcondition"))

    @classmethod
    async def signal(cls, ctx: Context, details: object) -> str | None:
        return None if details is None else await super().signal(ctx, details)
