from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.nova.base import NovaType


class HostAggregate(NovaType):
    type_name = "OS::Nova::HostAggregate"
    support = supported("6.0.0")
    entity = "aggregates"
    properties = {
        "name": Property(str, required=True, update_allowed=True),
        "availability_zone": Property(str, update_allowed=True),
        "hosts": Property(list, update_allowed=True, items=Property(str, constraints=[custom("nova.host")])),
        "metadata": Property(dict, default={}, update_allowed=True),
    }
