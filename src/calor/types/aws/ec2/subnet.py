from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.types.aws.common import UNIMPLEMENTED_TAGS


class Subnet(ResourceType):
    type_name = "AWS::EC2::Subnet"
    service = "neutron"
    properties = {
        "AvailabilityZone": Property(str),
        "CidrBlock": Property(str, required=True),
        "VpcId": Property(str, required=True),
        "Tags": UNIMPLEMENTED_TAGS,
    }
    attributes = {
        "AvailabilityZone": Attribute(str),
        "show": SHOW,
    }
