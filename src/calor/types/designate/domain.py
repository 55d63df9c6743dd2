from calor.language.schema import ResourceType, deprecated, hidden, supported


class Domain(ResourceType):
    """A domain in the first version of the DNS service.

    That version is gone, and the type with it: templates that use it can be read, but not run. Use
    OS::Designate::Zone.
    """

    type_name = "OS::Designate::Domain"
    placeholder = True
    support = hidden("10.0.0", deprecated("8.0.0", supported("5.0.0")))
