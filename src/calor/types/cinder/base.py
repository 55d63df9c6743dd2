from calor.language.schema import ResourceType


class CinderType(ResourceType):
    service = "cinder"
