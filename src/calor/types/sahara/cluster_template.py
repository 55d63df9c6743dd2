from calor.language.schema import ResourceType, deprecated, hidden, supported


class ClusterTemplate(ResourceType):
    type_name = "OS::Sahara::ClusterTemplate"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("2014.2")))
