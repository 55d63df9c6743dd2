from calor.language.schema import ResourceType


class OctaviaType(ResourceType):
    service = "octavia"
