from __future__ import annotations

from typing import Any

from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.types.behaviour import Context, ResourceFailed


class AccessKey(ResourceType):
    """A pair of keys with which software on a server signs calls of the CloudFormation API.

    A reference to it gives the access key. Together with the secret it goes into the file of credentials that
    cfn-hup and its companions read.
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

    made_when_adopted = True

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        user = ctx.peer(props["UserName"])
        if user is None:
            raise ResourceFailed(f"could not find user {props['UserName']}", "NotFound")
        access, secret = await user.access_keys()
        ctx.made(access)
        ctx.note(secret=secret)

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return {"UserName": ctx.properties["UserName"], "SecretAccessKey": ctx.data.get("secret")}.get(name)
