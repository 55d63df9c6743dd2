from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType


class AccessKey(ResourceType):
    type_name = "AWS::IAM::AccessKey"
    properties = {
        "Serial": Property(int, implemented=False),
        "UserName": Property(str, required=True),
        "Status": Property(str, constraints=[one_of("Active", "Inactive")], implemented=False),
    }
    attributes = {
        "UserName": Attribute(str, live=True),
        "SecretAccessKey": Attribute(str, live=True),
        "show": SHOW,
    }
