"""What the scaling policies of both dialects do."""

from __future__ import annotations

from typing import ClassVar

from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject
from calor.types.heat.groups.scaled_group import AdjustableGroup
from calor.types.heat.groups.sizes import Adjustment
from calor.types.heat.signals.signal_user import SignalledResource


class PolicyType(SignalledResource, extends=True):
    concurrent_signals = True
    """A signal while the group is busy is ignored rather than kept."""

    group_property: ClassVar[str]
    amount_property: ClassVar[str]
    kind_property: ClassVar[str]
    cooldown_property: ClassVar[str]
    step_property: ClassVar[str]

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await super().create(ctx, props)
        ctx.set_data(alarm_url=await ctx.signed_url())

    @classmethod
    def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        """What changes counts from the next signal on."""

    @classmethod
    async def signal(cls, ctx: Context, details: object) -> str | None:
        """The state of the alarm does not matter: the URL is only called in the states for which it is an action."""
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
