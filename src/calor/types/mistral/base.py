from calor.language.schema import ResourceType


class MistralType(ResourceType):
    service = "mistral"
