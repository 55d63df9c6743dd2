"""Types whose resource is an object within another one of the network service."""

from __future__ import annotations

from typing import ClassVar

from calor.resources.context import Context, LookupContext, ObjectView
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject


class PartType(NetworkObject, extends=True):
    whole: ClassVar[str]
    """The property with the parent object, whose id is stored under the same name."""

    def __init_subclass__(cls, *, extends: bool = False) -> None:
        super().__init_subclass__(extends=extends)
        if hasattr(cls, "whole"):
            cls.adopted_data = (cls.whole,)

    @classmethod
    async def exists(cls, ctx: LookupContext) -> bool:
        named = ctx.data.get(cls.whole) or ctx.properties.get(cls.whole)
        return named is not None and await super().exists(ctx)

    @classmethod
    def path(cls, ctx: ObjectView) -> tuple[str, ...]:
        return (*cls.collection, str(ctx.data.get(cls.whole) or ctx.properties[cls.whole]), cls.plural)

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        ctx.set_data(**{cls.whole: request_body.pop(cls.whole)})
        return request_body
