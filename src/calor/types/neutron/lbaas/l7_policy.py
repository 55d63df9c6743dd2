from calor.language.schema import ResourceType, hidden, supported


class L7Policy(ResourceType):
    type_name = "OS::Neutron::LBaaS::L7Policy"
    placeholder = True
    support = hidden("21.0.0", supported("7.0.0"))
