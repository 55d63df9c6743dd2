from calor.language.schema import ResourceType


class ZaqarType(ResourceType):
    service = "zaqar"
