from calor.language.schema import Property
from calor.types.base import NestedStackType


class Stack(NestedStackType):
    type_name = "AWS::CloudFormation::Stack"
    properties = {
        "TemplateURL": Property(str, required=True, update_allowed=True),
        "TimeoutInMinutes": Property(int, update_allowed=True),
        "Parameters": Property(dict, update_allowed=True),
    }
