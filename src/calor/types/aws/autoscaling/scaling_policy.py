from __future__ import annotations

from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import AttributeContext, Context
from calor.resources.values import JsonObject
from calor.types.heat.groups.scaling_policies import PolicyType
from calor.types.heat.groups.scaling_rules import StepOnlyForPercent


class ScalingPolicy(PolicyType):
    """Changes the size of a scaling group each time it is signalled.

    A reference to the policy returns a pre-signed URL, for use as the action of an alarm. A signal is
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
            "The change of the size, or the new size, depending on AdjustmentType. Negative numbers "
            "shrink the group.",
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
            "Seconds after a change during which the group ignores further signals. By default, the group's "
            "own cooldown holds.",
            update_allowed=True,
        ),
        "MinAdjustmentStep": Property(
            int,
            "At least this many instances are added or removed when the percentage results in less. Allowed with "
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
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await super().create(ctx, props)
        ctx.set_reference(ctx.data["alarm_url"])

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> str | None:
        return ctx.data.get("alarm_url") if name == "AlarmUrl" else None
