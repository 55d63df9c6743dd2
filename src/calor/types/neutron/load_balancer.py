from calor.language.schema import ResourceType, deprecated, hidden, supported


class LoadBalancer(ResourceType):
    type_name = "OS::Neutron::LoadBalancer"
    placeholder = True
    support = hidden("9.0.0", deprecated("7.0.0", supported("2014.1")))
