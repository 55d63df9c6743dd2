from calor.language.schema import ResourceType


class MagnumType(ResourceType):
    service = "magnum"
