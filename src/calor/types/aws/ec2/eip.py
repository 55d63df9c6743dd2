from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated


class EIP(ResourceType):
    type_name = "AWS::EC2::EIP"
    service = "nova"
    properties = {
        "Domain": Property(str, constraints=[one_of("vpc")], support=deprecated("9.0.0")),
        "InstanceId": Property(str, update_allowed=True, constraints=[custom("nova.server")]),
    }
    attributes = {
        "AllocationId": Attribute(str),
        "show": SHOW,
    }
