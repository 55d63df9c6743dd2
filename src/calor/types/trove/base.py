from calor.language.schema import ResourceType


class TroveType(ResourceType):
    service = "trove"
