from calor.language.schema import ResourceType, deprecated, hidden, supported


class Bay(ResourceType):
    type_name = "OS::Magnum::Bay"
    placeholder = True
    support = hidden("11.0.0", deprecated("9.0.0", supported("6.0.0")))
