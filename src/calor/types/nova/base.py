from calor.language.schema import ResourceType


class NovaType(ResourceType):
    service = "nova"
