from calor.language.constraints import custom
from calor.language.schema import Property, unsupported
from calor.types.neutron.base import NeutronType


class ExtraRoute(NeutronType):
    type_name = "OS::Neutron::ExtraRoute"
    support = unsupported()
    extension = "extraroute"
    properties = {
        "router_id": Property(str, required=True, constraints=[custom("neutron.router")]),
        "destination": Property(str, required=True),
        "nexthop": Property(str, required=True),
    }
