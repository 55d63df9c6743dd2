from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Property
from calor.types.base import SignalledType


class ScalingPolicy(SignalledType):
    type_name = "AWS::AutoScaling::ScalingPolicy"
    properties = {
        "AutoScalingGroupName": Property(str, required=True),
        "ScalingAdjustment": Property(int, required=True, update_allowed=True),
        "AdjustmentType": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity")],
        ),
        "Cooldown": Property(int, update_allowed=True),
        "MinAdjustmentStep": Property(int, update_allowed=True, constraints=[range_(min=0)]),
    }
    attributes = {
        "AlarmUrl": Attribute(str, live=True),
        "show": SHOW,
    }
