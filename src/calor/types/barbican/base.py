from calor.language.schema import SHOW, Attribute, ResourceType


class BarbicanType(ResourceType):
    service = "barbican"


class ContainerType(BarbicanType):
    entity = "containers"
    attributes = {
        "status": Attribute(str),
        "container_ref": Attribute(str),
        "secret_refs": Attribute(dict),
        "consumers": Attribute(list),
        "show": SHOW,
    }
