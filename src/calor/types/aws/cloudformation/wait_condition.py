from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class WaitCondition(ResourceType):
    type_name = "AWS::CloudFormation::WaitCondition"
    support = supported("2014.1")
    properties = {
        "Handle": Property(str, required=True),
        "Timeout": Property(int, required=True, constraints=[range_(1, 43200)]),
        "Count": Property(int, default=1, update_allowed=True, constraints=[range_(min=1)]),
    }
    attributes = {
        "Data": Attribute(str, live=True),
        "show": SHOW,
    }
