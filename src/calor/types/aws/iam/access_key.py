from __future__ import annotations

from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject


class AccessKey(ResourceType):
    """A pair of keys with which software on a server signs calls of the CloudFormation API.

    A reference to it returns the access key. Both belong into the file of credentials that cfn-hup and its
    companions read.
    """

    type_name = "AWS::IAM::AccessKey"
    properties = {
        "Serial": Property(int, implemented=False),
        "UserName": Property(
            str,
            "The user that the keys act for: a reference to an AWS::IAM::User of the same template.",
            required=True,
        ),
        "Status": Property(str, constraints=[one_of("Active", "Inactive")], implemented=False),
    }
    attributes = {
        "UserName": Attribute(str, "The user that the keys act for.", live=True),
        "SecretAccessKey": Attribute(
            str,
            "The secret key that belongs to the access key. Keep it out of outputs.",
            live=True,
            secret=True,
        ),
        "show": SHOW,
    }

    create_on_adopt = True

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        user = ctx.peer(props["UserName"])
        if user is None:
            raise ResourceFailed(f"could not find user {props['UserName']}", "NotFound")
        access, secret = await user.access_keys()
        ctx.set_physical_id(access)
        ctx.set_data(secret=secret)

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return {"UserName": ctx.properties["UserName"], "SecretAccessKey": ctx.data.get("secret")}.get(name)
