from calor.resources.contract import ResourceType


class MagnumType(ResourceType, extends=True):
    service = "magnum"
