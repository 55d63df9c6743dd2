from calor.language.schema import ResourceType, hidden, supported


class Pool(ResourceType):
    type_name = "OS::Neutron::LBaaS::Pool"
    support = hidden("21.0.0", supported("6.0.0"))
