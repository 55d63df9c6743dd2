from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated, hidden, supported


class FloatingIP(ResourceType):
    """An address under which a server can be reached from outside.

    It dates from the time when the compute service had networks of its own. Use OS::Neutron::FloatingIP.
    """

    type_name = "OS::Nova::FloatingIP"
    support = hidden("11.0.0", deprecated("9.0.0", supported("2014.1")))
    properties = {
        "pool": Property(
            str,
            "The external network, by name or id, that the address is taken from. Left out, it is the only "
            "one.",
        ),
    }
    attributes = {
        "pool": Attribute(str, "The external network that the address is from."),
        "ip": Attribute(str, "The address itself."),
        "show": SHOW,
    }
