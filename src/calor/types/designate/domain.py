from calor.language.schema import ResourceType, deprecated, hidden, supported


class Domain(ResourceType):
    """A domain in the first version of the DNS service.

    That version is gone. The resource takes any properties and does nothing. Use OS::Designate::Zone.
    """

    type_name = "OS::Designate::Domain"
    placeholder = True
    support = hidden("10.0.0", deprecated("8.0.0", supported("5.0.0")))
