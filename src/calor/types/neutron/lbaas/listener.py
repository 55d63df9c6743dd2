from calor.language.schema import ResourceType, hidden, supported


class Listener(ResourceType):
    """Formerly a port on which a load balancer takes requests.

    Its service is gone: the type takes any properties, and makes nothing. Use OS::Octavia::Listener.
    """

    type_name = "OS::Neutron::LBaaS::Listener"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
