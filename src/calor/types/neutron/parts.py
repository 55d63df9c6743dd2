"""Types whose resource is an object within another one of the network service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calor.types.behaviour import Context
from calor.types.cloud_objects import Object
from calor.types.neutron.objects import NetworkObject


class PartType(NetworkObject):
    whole: ClassVar[str]
    """The property that tells which object it is within. Its id is noted under the same name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "whole"):
            cls.adopted_data = (cls.whole,)

    @classmethod
    async def exists(cls, ctx: Context) -> bool:
        named = ctx.data.get(cls.whole) or ctx.properties.get(cls.whole)
        return named is not None and await super().exists(ctx)

    @classmethod
    def path(cls, ctx: Context) -> tuple[str, ...]:
        return (*cls.collection, str(ctx.data.get(cls.whole) or ctx.properties[cls.whole]), cls.plural)

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await super().said(ctx, props)
        ctx.note(**{cls.whole: said.pop(cls.whole)})
        return said
