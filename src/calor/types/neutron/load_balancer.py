from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class LoadBalancer(ResourceType):
    type_name = "OS::Neutron::LoadBalancer"
    placeholder = True
    support = hidden("9.0.0", deprecated("7.0.0", supported("2014.1")))
