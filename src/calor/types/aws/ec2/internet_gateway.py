from __future__ import annotations

from typing import Any

from calor.language.schema import ResourceType
from calor.types.aws.common import UNIMPLEMENTED_TAGS
from calor.types.behaviour import Context


class InternetGateway(ResourceType):
    """Stands for the external network, to which an AWS::EC2::VPCGatewayAttachment leads."""

    type_name = "AWS::EC2::InternetGateway"
    properties = {
        "Tags": UNIMPLEMENTED_TAGS,
    }

    @classmethod
    def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        ctx.made(ctx.physical_name())

    @classmethod
    def delete(cls, ctx: Context) -> None:
        """There is nothing behind it."""
