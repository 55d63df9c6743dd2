from calor.language.schema import hidden, supported
from calor.resources.contract import ResourceType


class Pool(ResourceType):
    """Formerly a group of servers that share the work of a load balancer.

    Its service no longer exists: the type accepts any properties, and creates nothing. Use OS::Octavia::Pool.
    """

    type_name = "OS::Neutron::LBaaS::Pool"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
