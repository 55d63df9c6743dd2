from calor.language.schema import ResourceType, hidden, supported


class HealthMonitor(ResourceType):
    type_name = "OS::Neutron::LBaaS::HealthMonitor"
    support = hidden("21.0.0", supported("6.0.0"))
