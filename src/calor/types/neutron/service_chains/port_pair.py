from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.network_object import NetworkObject


class PortPair(NetworkObject):
    type_name = "OS::Neutron::PortPair"
    support = unsupported("7.0.0")
    collection = ("sfc", "port_pairs")
    wrapper = "port_pair"
    constraint = "neutron.port_pair"
    noun = "port pair"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "ingress": Property(str, required=True, constraints=[custom("neutron.port")]),
        "egress": Property(str, required=True, constraints=[custom("neutron.port")]),
        "service_function_parameters": Property(dict, default={"correlation": None}),
    }
    translations = [
        Resolve(("ingress",), "neutron.port"),
        Resolve(("egress",), "neutron.port"),
    ]
