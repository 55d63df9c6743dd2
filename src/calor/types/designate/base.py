from calor.language.schema import ResourceType


class DesignateType(ResourceType):
    service = "designate"
