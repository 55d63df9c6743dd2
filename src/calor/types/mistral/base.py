from calor.resources.contract import ResourceType


class MistralType(ResourceType, extends=True):
    service = "mistral"
