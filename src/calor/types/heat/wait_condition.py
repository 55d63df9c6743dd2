from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class WaitCondition(ResourceType):
    type_name = "OS::Heat::WaitCondition"
    support = supported("2014.2")
    properties = {
        "handle": Property(str, required=True),
        "timeout": Property(float, required=True, constraints=[range_(1, 43200)]),
        "count": Property(int, default=1, update_allowed=True, constraints=[range_(min=1)]),
    }
    attributes = {
        "data": Attribute(str, live=True),
        "show": SHOW,
    }
