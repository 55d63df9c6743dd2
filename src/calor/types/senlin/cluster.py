from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Cluster(ResourceType):
    type_name = "OS::Senlin::Cluster"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("6.0.0")))
