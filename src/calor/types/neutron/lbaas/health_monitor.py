from calor.language.schema import hidden, supported
from calor.resources.contract import ResourceType


class HealthMonitor(ResourceType):
    """Formerly a health check for the servers of a pool.

    Its service no longer exists: the type accepts any properties, and creates nothing. Use OS::Octavia::HealthMonitor.
    """

    type_name = "OS::Neutron::LBaaS::HealthMonitor"
    placeholder = True
    support = hidden("21.0.0", supported("6.0.0"))
