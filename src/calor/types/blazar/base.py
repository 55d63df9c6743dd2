from calor.language.schema import ResourceType


class BlazarType(ResourceType):
    service = "blazar"
