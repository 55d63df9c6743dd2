from calor.language.schema import deprecated, hidden
from calor.resources.contract import ResourceType


class HealthMonitor(ResourceType):
    type_name = "OS::Neutron::HealthMonitor"
    placeholder = True
    support = hidden("9.0.0", deprecated("7.0.0"))
