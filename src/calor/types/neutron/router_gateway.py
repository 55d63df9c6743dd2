from calor.language.constraints import custom
from calor.language.schema import Property, Replace, Resolve, deprecated, hidden
from calor.types.neutron.base import NeutronType


class RouterGateway(NeutronType):
    type_name = "OS::Neutron::RouterGateway"
    support = hidden("5.0.0", deprecated("2014.1"))
    properties = {
        "router_id": Property(str, required=True, constraints=[custom("neutron.router")]),
        "network_id": Property(
            str, constraints=[custom("neutron.network")], support=hidden("9.0.0", deprecated("2014.2"))
        ),
        "network": Property(str, constraints=[custom("neutron.network")]),
    }
    translations = [
        Replace(("network",), source=("network_id",)),
        Resolve(("network",), "find_resourceid_by_name_or_id", "network"),
    ]
