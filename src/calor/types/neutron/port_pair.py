from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.objects import NetworkObject


class PortPair(NetworkObject):
    type_name = "OS::Neutron::PortPair"
    support = unsupported("7.0.0")
    collection = ("sfc", "port_pairs")
    wrapper = "port_pair"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "ingress": Property(str, required=True, constraints=[custom("neutron.port")]),
        "egress": Property(str, required=True, constraints=[custom("neutron.port")]),
        "service_function_parameters": Property(dict, default={"correlation": None}),
    }
    translations = [
        Resolve(("ingress",), "find_resourceid_by_name_or_id", "port"),
        Resolve(("egress",), "find_resourceid_by_name_or_id", "port"),
    ]
