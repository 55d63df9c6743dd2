from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.heat.signals.wait_base import ConditionType


class SwiftSignal(ConditionType):
    type_name = "OS::Heat::SwiftSignal"
    support = supported("2014.2")
    service = "swift"
    properties = {
        "handle": Property(str, required=True),
        "timeout": Property(float, required=True, constraints=[range_(1, 43200)]),
        "count": Property(int, default=1, constraints=[range_(1, 1000)]),
    }
    attributes = {
        "data": Attribute(str),
        "show": SHOW,
    }
    handle_property = "handle"
    timeout_property = "timeout"
    count_property = "count"
    data_attribute = "data"
