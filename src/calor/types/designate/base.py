from calor.resources.contract import ResourceType


class DesignateType(ResourceType, extends=True):
    service = "designate"
