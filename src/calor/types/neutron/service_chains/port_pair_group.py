from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.network_object import NetworkObject


class PortPairGroup(NetworkObject):
    type_name = "OS::Neutron::PortPairGroup"
    support = unsupported("8.0.0")
    extension = "sfc"
    collection = ("sfc", "port_pair_groups")
    wrapper = "port_pair_group"
    constraint = "neutron.port_pair_group"
    noun = "port pair group"
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
    translations = [Resolve(("port_pairs",), "neutron.port_pair")]
