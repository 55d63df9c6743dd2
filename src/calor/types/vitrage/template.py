from calor.language.schema import ResourceType, deprecated, hidden, supported


class Template(ResourceType):
    type_name = "OS::Vitrage::Template"
    placeholder = True
    support = hidden("27.0.0", deprecated("26.0.0", supported("16.0.0")))
