from calor.language.schema import ResourceType
from calor.types.aws.common import UNIMPLEMENTED_TAGS


class InternetGateway(ResourceType):
    type_name = "AWS::EC2::InternetGateway"
    properties = {
        "Tags": UNIMPLEMENTED_TAGS,
    }
