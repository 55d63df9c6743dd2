from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import NestedStackType
from calor.types.heat.common import ROLLING_BATCH


class AutoScalingGroup(NestedStackType):
    type_name = "OS::Heat::AutoScalingGroup"
    support = supported("2014.1")
    properties = {
        "resource": Property(dict, required=True, update_allowed=True),
        "max_size": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "min_size": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "cooldown": Property(int, update_allowed=True),
        "desired_capacity": Property(int, update_allowed=True),
        "rolling_updates": Property(
            dict,
            default={"min_in_service": 0, "max_batch_size": 1, "pause_time": 0},
            update_allowed=True,
            fields=ROLLING_BATCH,
        ),
    }
    attributes = {
        "outputs": Attribute(dict, support=supported("2014.2")),
        "outputs_list": Attribute(list, support=supported("2014.2")),
        "current_size": Attribute(int, support=supported("2015.1")),
        "refs": Attribute(list, support=supported("7.0.0")),
        "refs_map": Attribute(dict, support=supported("7.0.0")),
        "show": SHOW,
    }
