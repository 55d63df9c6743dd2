from __future__ import annotations

from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject
from calor.types.aws.common import UNIMPLEMENTED_TAGS


class InternetGateway(ResourceType):
    """Stands for the external network, to which an AWS::EC2::VPCGatewayAttachment leads."""

    type_name = "AWS::EC2::InternetGateway"
    properties = {
        "Tags": UNIMPLEMENTED_TAGS,
    }

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> None:
        ctx.set_physical_id(ctx.physical_name())

    @classmethod
    def delete(cls, ctx: Context) -> None:
        """There is nothing behind it."""
