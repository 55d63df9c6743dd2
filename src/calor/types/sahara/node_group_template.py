from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class NodeGroupTemplate(ResourceType):
    type_name = "OS::Sahara::NodeGroupTemplate"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("2014.2")))
