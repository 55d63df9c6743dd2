from __future__ import annotations

from typing import Any

from calor.language.schema import Property, ResourceType
from calor.types.behaviour import Context
from calor.types.heat.signalling import UserLife


class User(UserLife, ResourceType):
    """A user of the stack's own, for software on servers that calls back.

    It can do little more than read the metadata of the stack's resources and signal them. Give it keys with
    an AWS::IAM::AccessKey. It is deleted with the stack.
    """

    type_name = "AWS::IAM::User"
    owns_user = True
    properties = {
        "Path": Property(str, "Has no effect."),
        "Groups": Property(list, "Has no effect."),
        "LoginProfile": Property(
            dict,
            "How the user logs in, apart from access keys.",
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
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        ctx.made(await ctx.make_user((props["LoginProfile"] or {}).get("Password")))
        ctx.refer_to(ctx.physical_name())
