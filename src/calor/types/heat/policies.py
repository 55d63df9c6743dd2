"""What the scaling policies of both dialects do."""

from __future__ import annotations

from typing import Any, ClassVar

from calor.types.behaviour import Context, ResourceFailed
from calor.types.heat.scaled import AdjustableGroup
from calor.types.heat.signalling import SignalledResource
from calor.types.heat.sizing import Adjustment


class PolicyType(SignalledResource):
    signals_overlap = True
    """A signal that comes while the group is busy is passed over, and not kept until it is not."""

    group_property: ClassVar[str]
    amount_property: ClassVar[str]
    kind_property: ClassVar[str]
    cooldown_property: ClassVar[str]
    step_property: ClassVar[str]

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await super().create(ctx, props)
        ctx.note(alarm_url=await ctx.signed_url())

    @classmethod
    def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        """What changes counts from the next signal on."""

    @classmethod
    async def signal(cls, ctx: Context, details: Any) -> str | None:
        """The state of the alarm does not matter: whoever made the URL its action has decided that."""
        props = ctx.properties
        group = ctx.peer(props[cls.group_property])
        if group is None or not (isinstance(group.type, type) and issubclass(group.type, AdjustableGroup)):
            message = f"there is no scaling group {props[cls.group_property]} in the stack"
            raise ResourceFailed(message, "NotFound")
        adjustment = Adjustment(
            props[cls.amount_property], props[cls.kind_property], props[cls.step_property]
        )
        await group.type.adjust(group, adjustment, props[cls.cooldown_property])
        return None
