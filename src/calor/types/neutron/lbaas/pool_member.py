from calor.language.schema import hidden, supported
from calor.resources.contract import ResourceType


class PoolMember(ResourceType):
    """Formerly a server of a load balancer's pool.

    Its service no longer exists: the type accepts any properties, and creates nothing. Use OS::Octavia::PoolMember.
    """

    type_name = "OS::Neutron::LBaaS::PoolMember"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
