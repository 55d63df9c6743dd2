from calor.language.schema import ResourceType, deprecated, hidden, supported


class Cluster(ResourceType):
    type_name = "OS::Sahara::Cluster"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("5.0.0")))
