from __future__ import annotations

from typing import Any

from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Property
from calor.types.behaviour import Context
from calor.types.heat.policies import PolicyType
from calor.types.heat.scaling import StepOnlyForPercent


class ScalingPolicy(PolicyType):
    """Changes the size of a scaling group each time it is signalled.

    A reference to the policy gives a pre-signed URL, which fits in as the action of an alarm. A signal is
    passed over in silence while the group is busy, while it cools down, or when it is at its limit already.
    """

    type_name = "AWS::AutoScaling::ScalingPolicy"
    secret_reference = True
    properties = {
        "AutoScalingGroupName": Property(
            str, "The group to change: a reference to a scaling group of the same template.", required=True
        ),
        "ScalingAdjustment": Property(
            int,
            "By how much, or to what, the size changes; AdjustmentType says which. Negative numbers shrink "
            "the group.",
            required=True,
            update_allowed=True,
        ),
        "AdjustmentType": Property(
            str,
            "What the adjustment means: instances to add (ChangeInCapacity), the new size (ExactCapacity) "
            "or percents of the present size to add (PercentChangeInCapacity).",
            required=True,
            update_allowed=True,
            constraints=[one_of("ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity")],
        ),
        "Cooldown": Property(
            int,
            "Seconds after a change during which the group ignores further signals. Left out, the group's "
            "own cooldown holds.",
            update_allowed=True,
        ),
        "MinAdjustmentStep": Property(
            int,
            "At least this many instances are added or removed when percents come to less. Allowed with "
            "PercentChangeInCapacity only.",
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
    }
    attributes = {
        "AlarmUrl": Attribute(
            str,
            "A pre-signed URL that triggers the policy without further credentials. It never expires, so "
            "keep it secret.",
            live=True,
            secret=True,
        ),
        "show": SHOW,
    }
    rules = [StepOnlyForPercent("MinAdjustmentStep", "AdjustmentType", "PercentChangeInCapacity")]
    group_property = "AutoScalingGroupName"
    amount_property = "ScalingAdjustment"
    kind_property = "AdjustmentType"
    cooldown_property = "Cooldown"
    step_property = "MinAdjustmentStep"

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await super().create(ctx, props)
        ctx.refer_to(ctx.data["alarm_url"])

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> str | None:
        return ctx.data.get("alarm_url") if name == "AlarmUrl" else None
