from calor.language.constraints import custom
from calor.language.schema import Property, deprecated, hidden, supported
from calor.types.nova.base import NovaType


class FloatingIPAssociation(NovaType):
    type_name = "OS::Nova::FloatingIPAssociation"
    support = hidden("11.0.0", deprecated("9.0.0", supported("2014.1")))
    properties = {
        "server_id": Property(str, required=True, update_allowed=True, constraints=[custom("nova.server")]),
        "floating_ip": Property(str, required=True, update_allowed=True),
    }
