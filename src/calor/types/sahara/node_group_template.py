from calor.language.schema import ResourceType, deprecated, hidden, supported


class NodeGroupTemplate(ResourceType):
    type_name = "OS::Sahara::NodeGroupTemplate"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("2014.2")))
