from calor.language.schema import ResourceType


class NeutronType(ResourceType):
    service = "neutron"
