from calor.language.schema import ResourceType, hidden, supported


class LoadBalancer(ResourceType):
    """Formerly a load balancer of the network service.

    Its service is gone: the type takes any properties, and makes nothing. Use OS::Octavia::LoadBalancer.
    """

    type_name = "OS::Neutron::LBaaS::LoadBalancer"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
