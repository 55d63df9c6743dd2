from calor.resources.contract import ResourceType


class ZaqarType(ResourceType, extends=True):
    service = "zaqar"
