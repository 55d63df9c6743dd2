from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Node(ResourceType):
    type_name = "OS::Senlin::Node"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("6.0.0")))
