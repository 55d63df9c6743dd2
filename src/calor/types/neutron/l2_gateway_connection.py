from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.neutron.base import NeutronType


class L2GatewayConnection(NeutronType):
    type_name = "OS::Neutron::L2GatewayConnection"
    support = supported("12.0.0")
    extension = "l2-gateway-connection"
    entity = "l2_gateway_connection"
    properties = {
        "l2_gateway_id": Property(str, required=True),
        "network_id": Property(str, required=True, constraints=[custom("neutron.network")]),
        "segmentation_id": Property(str),
    }
