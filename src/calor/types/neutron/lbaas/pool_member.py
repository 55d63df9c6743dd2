from calor.language.schema import ResourceType, hidden, supported


class PoolMember(ResourceType):
    type_name = "OS::Neutron::LBaaS::PoolMember"
    support = hidden("21.0.0", supported("6.0.0"))
