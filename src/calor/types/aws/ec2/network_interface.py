from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.types.aws.common import UNIMPLEMENTED_TAGS


class NetworkInterface(ResourceType):
    type_name = "AWS::EC2::NetworkInterface"
    service = "neutron"
    properties = {
        "Description": Property(str),
        "GroupSet": Property(list, update_allowed=True),
        "PrivateIpAddress": Property(str),
        "SourceDestCheck": Property(bool, implemented=False),
        "SubnetId": Property(str, required=True, constraints=[custom("neutron.subnet")]),
        "Tags": UNIMPLEMENTED_TAGS,
    }
    attributes = {
        "PrivateIpAddress": Attribute(str),
        "show": SHOW,
    }
