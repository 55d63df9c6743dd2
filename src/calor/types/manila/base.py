from calor.language.schema import ResourceType


class ManilaType(ResourceType):
    service = "manila"
