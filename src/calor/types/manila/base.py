from calor.resources.contract import ResourceType


class ManilaType(ResourceType, extends=True):
    service = "manila"
