from calor.language.schema import hidden, supported
from calor.resources.contract import ResourceType


class Listener(ResourceType):
    """Formerly a port on which a load balancer takes requests.

    Its service no longer exists: the type accepts any properties, and creates nothing. Use OS::Octavia::Listener.
    """

    type_name = "OS::Neutron::LBaaS::Listener"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
