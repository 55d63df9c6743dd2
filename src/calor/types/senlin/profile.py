from calor.language.schema import ResourceType, deprecated, hidden, supported


class Profile(ResourceType):
    type_name = "OS::Senlin::Profile"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("6.0.0")))
