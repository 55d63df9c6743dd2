from calor.language.schema import ResourceType, hidden, supported


class PoolMember(ResourceType):
    """Formerly a server of a load balancer's pool.

    Its service is gone: the type takes any properties, and makes nothing. Use OS::Octavia::PoolMember.
    """

    type_name = "OS::Neutron::LBaaS::PoolMember"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
