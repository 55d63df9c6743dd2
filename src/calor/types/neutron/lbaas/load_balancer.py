from calor.language.schema import hidden, supported
from calor.resources.contract import ResourceType


class LoadBalancer(ResourceType):
    """Formerly a load balancer of the network service.

    Its service no longer exists: the type accepts any properties, and creates nothing. Use OS::Octavia::LoadBalancer.
    """

    type_name = "OS::Neutron::LBaaS::LoadBalancer"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
