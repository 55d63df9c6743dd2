from calor.language.schema import ResourceType


class KeystoneType(ResourceType):
    service = "keystone"
