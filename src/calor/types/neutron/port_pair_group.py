from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.base import NeutronType


class PortPairGroup(NeutronType):
    type_name = "OS::Neutron::PortPairGroup"
    support = unsupported("8.0.0")
    extension = "sfc"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "port_pairs": Property(
            list,
            required=True,
            update_allowed=True,
            items=Property(str, constraints=[custom("neutron.port_pair")]),
        ),
    }
    translations = [Resolve(("port_pairs",), "resolve_ext_resource", "port_pair")]
