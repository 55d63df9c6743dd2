from calor.language.schema import ResourceType, deprecated, hidden, supported


class Record(ResourceType):
    type_name = "OS::Designate::Record"
    placeholder = True
    support = hidden("10.0.0", deprecated("8.0.0", supported("5.0.0")))
