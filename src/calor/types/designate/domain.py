from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Domain(ResourceType):
    """A domain in the first version of the DNS service.

    That version no longer exists. The resource accepts any properties and does nothing. Use OS::Designate::Zone.
    """

    type_name = "OS::Designate::Domain"
    placeholder = True
    support = hidden("10.0.0", deprecated("8.0.0", supported("5.0.0")))
