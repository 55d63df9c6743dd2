from __future__ import annotations

from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.values import JsonObject
from calor.types.heat.signals.signal_user import SignalledResource


class User(SignalledResource):
    """A user of the stack's own, for software on servers that calls back.

    It can do little more than read the metadata of the stack's resources and signal them. Give it keys with
    an AWS::IAM::AccessKey. It is deleted with the stack.
    """

    type_name = "AWS::IAM::User"
    properties = {
        "Path": Property(str, "Has no effect."),
        "Groups": Property(list, "Has no effect."),
        "LoginProfile": Property(
            dict,
            "The log-in profile of the user.",
            fields={
                "Password": Property(str, "Left out, a random one is set.", secret=True),
            },
        ),
        "Policies": Property(
            list,
            "Names of OS::Heat::AccessPolicy resources of the same template: the user sees only the "
            "resources that all of them allow. Anything in the list that is not text is ignored.",
        ),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        ctx.set_physical_id(await ctx.create_user((props["LoginProfile"] or {}).get("Password")))
        ctx.set_reference(ctx.physical_name())
