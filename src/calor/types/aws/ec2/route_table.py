from calor.language.schema import Property, ResourceType, supported
from calor.types.aws.common import UNIMPLEMENTED_TAGS


class RouteTable(ResourceType):
    type_name = "AWS::EC2::RouteTable"
    support = supported("2014.1")
    service = "neutron"
    properties = {
        "VpcId": Property(str, required=True),
        "Tags": UNIMPLEMENTED_TAGS,
    }
