from calor.resources.contract import ResourceType


class TroveType(ResourceType, extends=True):
    service = "trove"
