from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import SignalledType


class ScalingPolicy(SignalledType):
    type_name = "OS::Heat::ScalingPolicy"
    properties = {
        "auto_scaling_group_id": Property(str, required=True),
        "scaling_adjustment": Property(float, required=True, update_allowed=True),
        "adjustment_type": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("change_in_capacity", "exact_capacity", "percent_change_in_capacity")],
        ),
        "cooldown": Property(float, update_allowed=True),
        "min_adjustment_step": Property(int, update_allowed=True, constraints=[range_(min=0)]),
    }
    attributes = {
        "alarm_url": Attribute(str, live=True),
        "signal_url": Attribute(str, support=supported("5.0.0")),
        "show": SHOW,
    }
