from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import NestedStackType


class ResourceChain(NestedStackType):
    type_name = "OS::Heat::ResourceChain"
    support = supported("6.0.0")
    properties = {
        "resources": Property(list, required=True, update_allowed=True),
        "concurrent": Property(bool, default=False),
        "resource_properties": Property(dict),
    }
    attributes = {
        "refs": Attribute(list),
        "attributes": Attribute(dict),
        "show": SHOW,
    }
