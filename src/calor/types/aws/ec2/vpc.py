from calor.language.constraints import one_of
from calor.language.schema import Property, ResourceType
from calor.types.aws.common import UNIMPLEMENTED_TAGS


class VPC(ResourceType):
    type_name = "AWS::EC2::VPC"
    service = "neutron"
    properties = {
        "CidrBlock": Property(str),
        "InstanceTenancy": Property(
            str, default="default", constraints=[one_of("default", "dedicated")], implemented=False
        ),
        "Tags": UNIMPLEMENTED_TAGS,
    }
