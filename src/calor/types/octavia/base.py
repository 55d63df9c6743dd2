from calor.resources.contract import ResourceType


class OctaviaType(ResourceType, extends=True):
    service = "octavia"
