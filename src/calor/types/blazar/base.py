from calor.resources.contract import ResourceType


class BlazarType(ResourceType, extends=True):
    service = "blazar"
