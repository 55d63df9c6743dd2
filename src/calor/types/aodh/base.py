from calor.resources.contract import ResourceType


class AodhType(ResourceType, extends=True):
    service = "aodh"
