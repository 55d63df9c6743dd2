from calor.language.schema import ResourceType, hidden, supported


class LoadBalancer(ResourceType):
    type_name = "OS::Neutron::LBaaS::LoadBalancer"
    support = hidden("21.0.0", supported("6.0.0"))
