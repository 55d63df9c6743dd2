from calor.language.schema import ResourceType, hidden, supported


class Listener(ResourceType):
    type_name = "OS::Neutron::LBaaS::Listener"
    support = hidden("21.0.0", supported("6.0.0"))
