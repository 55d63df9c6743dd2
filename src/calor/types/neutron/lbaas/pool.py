from calor.language.schema import ResourceType, hidden, supported


class Pool(ResourceType):
    """Formerly a group of servers that share the work of a load balancer.

    Its service is gone: the type takes any properties, and makes nothing. Use OS::Octavia::Pool.
    """

    type_name = "OS::Neutron::LBaaS::Pool"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
