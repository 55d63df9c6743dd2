from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class ClusterTemplate(ResourceType):
    type_name = "OS::Sahara::ClusterTemplate"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("2014.2")))
