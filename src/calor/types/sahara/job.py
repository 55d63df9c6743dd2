from calor.language.schema import ResourceType, deprecated, hidden, supported


class Job(ResourceType):
    type_name = "OS::Sahara::Job"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("8.0.0")))
