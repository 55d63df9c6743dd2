from calor.language.schema import SHOW, Attribute
from calor.resources.contract import ResourceType


class BarbicanType(ResourceType, extends=True):
    service = "barbican"


class ContainerType(BarbicanType, extends=True):
    attributes = {
        "status": Attribute(str),
        "container_ref": Attribute(str),
        "secret_refs": Attribute(dict),
        "consumers": Attribute(list),
        "show": SHOW,
    }
