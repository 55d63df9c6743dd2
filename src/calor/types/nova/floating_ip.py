from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated, hidden, supported


class FloatingIP(ResourceType):
    type_name = "OS::Nova::FloatingIP"
    support = hidden("11.0.0", deprecated("9.0.0", supported("2014.1")))
    properties = {
        "pool": Property(str),
    }
    attributes = {
        "pool": Attribute(str),
        "ip": Attribute(str),
        "show": SHOW,
    }
