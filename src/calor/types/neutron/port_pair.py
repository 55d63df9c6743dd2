from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.base import NeutronType


class PortPair(NeutronType):
    type_name = "OS::Neutron::PortPair"
    support = unsupported("7.0.0")
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
