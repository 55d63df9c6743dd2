from __future__ import annotations

from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.resources.context import AttributeContext
from calor.types.heat.groups.scaling_policies import PolicyType
from calor.types.heat.groups.scaling_rules import StepOnlyForPercent


class ScalingPolicy(PolicyType):
    """Changes the size of a scaling group each time it is signalled.

    Give one of its URLs to an alarm as an action, or call it yourself. A signal is passed over in silence
    while the group is busy, while it cools down, or when it is at its limit already.
    """

    type_name = "OS::Heat::ScalingPolicy"
    properties = {
        "auto_scaling_group_id": Property(
            str, "The group to change: a reference to a scaling group of the same template.", required=True
        ),
        "scaling_adjustment": Property(
            float,
            "The change of the size, or the new size, depending on adjustment_type. Negative numbers "
            "shrink the group.",
            required=True,
            update_allowed=True,
        ),
        "adjustment_type": Property(
            str,
            "What the adjustment means: members to add (change_in_capacity), the new size (exact_capacity) "
            "or percents of the present size to add (percent_change_in_capacity). A fraction of a member is "
            "rounded towards zero, but at least one member is added or removed.",
            required=True,
            update_allowed=True,
            constraints=[one_of("change_in_capacity", "exact_capacity", "percent_change_in_capacity")],
        ),
        "cooldown": Property(
            float,
            "Seconds after a change during which the group ignores further signals. By default, the group's "
            "own cooldown holds.",
            update_allowed=True,
        ),
        "min_adjustment_step": Property(
            int,
            "At least this many members are added or removed when the percentage results in less. Allowed with "
            "percent_change_in_capacity only.",
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
    }
    attributes = {
        "alarm_url": Attribute(
            str,
            "A pre-signed URL that triggers the policy without further credentials. It never expires, so "
            "keep it secret.",
            live=True,
            secret=True,
        ),
        "signal_url": Attribute(
            str,
            "The URL of the orchestration API that triggers the policy. Callers need a token.",
            support=supported("5.0.0"),
        ),
        "show": SHOW,
    }
    rules = [StepOnlyForPercent("min_adjustment_step", "adjustment_type", "percent_change_in_capacity")]
    group_property = "auto_scaling_group_id"
    amount_property = "scaling_adjustment"
    kind_property = "adjustment_type"
    cooldown_property = "cooldown"
    step_property = "min_adjustment_step"

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> str | None:
        match name:
            case "alarm_url":
                return ctx.data.get("alarm_url")
            case "signal_url":
                return ctx.signal_url() if ctx.physical_id is not None else None
        return None
