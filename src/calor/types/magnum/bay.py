from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Bay(ResourceType):
    type_name = "OS::Magnum::Bay"
    placeholder = True
    support = hidden("11.0.0", deprecated("9.0.0", supported("6.0.0")))
