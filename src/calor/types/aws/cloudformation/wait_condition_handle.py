from __future__ import annotations

from typing import Any

from calor.language.schema import supported
from calor.types.behaviour import Context
from calor.types.heat.waiting import HandleType, Keys


class WaitConditionHandle(HandleType):
    """The place where signals for an AWS::CloudFormation::WaitCondition arrive.

    A reference to it gives a pre-signed URL, to be passed to a server in its user data. A signal is a PUT to
    it with Status, Reason, UniqueId and Data, all of them, as JSON.
    """

    type_name = "AWS::CloudFormation::WaitConditionHandle"
    support = supported("2014.1")
    secret_reference = True
    keys = Keys("Status", "Reason", "UniqueId", "Data")

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await super().create(ctx, props)
        ctx.refer_to(await ctx.signed_url("waitcondition"))

    @classmethod
    async def signal(cls, ctx: Context, details: Any) -> str | None:
        return None if details is None else await super().signal(ctx, details)
