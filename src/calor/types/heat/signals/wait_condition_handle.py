from __future__ import annotations

import json

from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.values import JsonMapping, JsonObject
from calor.types.heat.signals.wait_base import POLLED_EVERY, HandleType, Keys, with_defaults


class WaitConditionHandle(HandleType):
    """The target of signals for an OS::Heat::WaitCondition.

    It has no dependencies, so a server can have its URL in the user data. A signal may have status, reason,
    data and id; without any it is a success.
    """

    type_name = "OS::Heat::WaitConditionHandle"
    support = supported("2014.2")
    properties = {
        "signal_transport": Property(
            str,
            "How signals are sent: to the orchestration API with a ready-made token (TOKEN_SIGNAL) or with "
            "a user's credentials (HEAT_SIGNAL), to a pre-signed URL (CFN_SIGNAL), to a temporary URL of "
            "Swift (TEMP_URL_SIGNAL) or into a queue of Zaqar (ZAQAR_SIGNAL). With NO_SIGNAL the handle "
            "signals itself.",
            default="TOKEN_SIGNAL",
            constraints=[
                one_of(
                    "CFN_SIGNAL",
                    "TEMP_URL_SIGNAL",
                    "HEAT_SIGNAL",
                    "NO_SIGNAL",
                    "ZAQAR_SIGNAL",
                    "TOKEN_SIGNAL",
                )
            ],
            support=supported("6.0.0"),
        ),
    }
    attributes = {
        "token": Attribute(
            str,
            "A token that allows signalling, with TOKEN_SIGNAL. It expires like any token, so send the "
            "signal before that.",
            live=True,
            secret=True,
        ),
        "endpoint": Attribute(str, "The URL to POST signals to, together with the token.", live=True),
        "curl_cli": Attribute(
            str,
            "The beginning of a curl command that sends a signal with TOKEN_SIGNAL. Append `--data-binary` "
            "and the signal as JSON.",
            live=True,
            secret=True,
        ),
        "signal": Attribute(
            str,
            "What a client needs to send signals by the chosen transport: a map of URL or credentials, as "
            "JSON text.",
            live=True,
            secret=True,
        ),
        "show": SHOW,
    }
    keys = Keys("status", "reason", "id", "data")

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await super().create(ctx, props)
        transport = props["signal_transport"]
        ctx.set_data(signal=await _address(ctx, transport))
        if transport == "TOKEN_SIGNAL":
            ctx.set_data(token=await ctx.user_token(), endpoint=ctx.user_signal_url())

    @classmethod
    def completed(cls, details: object, received: JsonMapping) -> object:
        return with_defaults(details, received)

    @classmethod
    async def collect(cls, ctx: Context) -> float:
        match ctx.properties["signal_transport"]:
            case "NO_SIGNAL":
                await cls.signal(ctx, None)
                return 0
            case "TEMP_URL_SIGNAL" | "ZAQAR_SIGNAL":
                for details in await ctx.collect_signals():
                    await cls.signal(ctx, details)
                return POLLED_EVERY
        return await super().collect(ctx)

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> str | None:
        if ctx.physical_id is None:
            return None
        match name:
            case "signal":
                return json.dumps(ctx.data.get("signal"))
            case "token" | "endpoint":
                return ctx.data.get(name)
            case "curl_cli" if ctx.data.get("token"):
                return _curl(ctx.data["token"], ctx.data["endpoint"])
        return None


async def _address(ctx: Context, transport: str) -> JsonObject | None:
    """What a client needs to send signals."""
    match transport:
        case "CFN_SIGNAL":
            return {"alarm_url": await ctx.signed_url("waitcondition")}
        case "TEMP_URL_SIGNAL":
            return {"alarm_url": await ctx.temporary_url(many=True)}
        case "HEAT_SIGNAL":
            return {**await ctx.user_credentials(), "alarm_url": ctx.user_signal_url()}
        case "ZAQAR_SIGNAL":
            return {**await ctx.user_credentials(), "queue_id": await ctx.queue()}
        case "NO_SIGNAL":
            return {}
    return None


def _curl(token: str, endpoint: str) -> str:
    headers = {
        "X-Auth-Token": token,
        "Content-Type": "application/json",
        "Accept": "application/json",
    }
    options = " ".join(f"-H '{name}: {value}'" for name, value in headers.items())
    return f"curl -i -X POST {options} {endpoint}"
