from calor.language.schema import ResourceType, hidden, supported


class HealthMonitor(ResourceType):
    """Formerly the check that finds which servers of a pool are well.

    Its service is gone: the type takes any properties, and makes nothing. Use OS::Octavia::HealthMonitor.
    """

    type_name = "OS::Neutron::LBaaS::HealthMonitor"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
