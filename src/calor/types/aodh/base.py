from calor.language.schema import ResourceType


class AodhType(ResourceType):
    service = "aodh"
    entity = "alarm"
