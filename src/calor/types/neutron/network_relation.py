"""Types whose resource is a relation between objects."""

from __future__ import annotations

from typing import Any, ClassVar

from calor.resources.context import Context
from calor.types.neutron.base import NeutronType

GAVE_WAY = "_gave_way"
"""Where a resource notes that it has been undone for its replacement."""


class Relation(NeutronType, extends=True):
    """A subclass does and undoes it. A replacement may be about the very same objects, so that the old one is undone
    before, and not again afterwards."""

    create: ClassVar[Any]
    undo: ClassVar[Any]

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None and not ctx.data.get(GAVE_WAY):
            await cls.undo(ctx)

    @classmethod
    async def before_replace(cls, ctx: Context) -> None:
        await cls.delete(ctx)
        ctx.set_data(**{GAVE_WAY: True})

    @classmethod
    async def revert_replace(cls, ctx: Context) -> None:
        if ctx.physical_id is not None and ctx.data.get(GAVE_WAY):
            await cls.create(ctx, ctx.properties)
        ctx.set_data(**{GAVE_WAY: False})
