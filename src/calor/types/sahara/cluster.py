from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Cluster(ResourceType):
    type_name = "OS::Sahara::Cluster"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("5.0.0")))
