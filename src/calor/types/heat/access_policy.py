from calor.language.schema import Property
from calor.resources.contract import ResourceType


class AccessPolicy(ResourceType):
    type_name = "OS::Heat::AccessPolicy"
    properties = {
        "AllowedResources": Property(list, required=True),
    }
