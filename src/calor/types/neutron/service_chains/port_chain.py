from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.network_object import NetworkObject


class PortChain(NetworkObject):
    type_name = "OS::Neutron::PortChain"
    support = unsupported("8.0.0")
    extension = "sfc"
    collection = ("sfc", "port_chains")
    wrapper = "port_chain"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "port_pair_groups": Property(
            list,
            required=True,
            update_allowed=True,
            items=Property(str, constraints=[custom("neutron.port_pair_group")]),
        ),
        "flow_classifiers": Property(
            list,
            default=[],
            update_allowed=True,
            items=Property(str, constraints=[custom("neutron.flow_classifier")]),
        ),
        "chain_parameters": Property(dict, default={"correlation": "mpls"}),
    }
    translations = [
        Resolve(("port_pair_groups",), "neutron.port_pair_group"),
        Resolve(("flow_classifiers",), "neutron.flow_classifier"),
    ]
