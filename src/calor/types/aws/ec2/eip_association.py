from calor.language.constraints import custom
from calor.language.schema import Property, ResourceType


class EIPAssociation(ResourceType):
    type_name = "AWS::EC2::EIPAssociation"
    service = "nova"
    properties = {
        "InstanceId": Property(str, update_allowed=True, constraints=[custom("nova.server")]),
        "EIP": Property(str, update_allowed=True, constraints=[custom("ip_addr")]),
        "AllocationId": Property(str, update_allowed=True),
        "NetworkInterfaceId": Property(str, update_allowed=True),
    }
