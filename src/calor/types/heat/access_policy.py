from calor.language.schema import Property, ResourceType


class AccessPolicy(ResourceType):
    type_name = "OS::Heat::AccessPolicy"
    properties = {
        "AllowedResources": Property(list, required=True),
    }
