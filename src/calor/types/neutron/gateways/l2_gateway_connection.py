from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.neutron.network_object import NetworkObject


class L2GatewayConnection(NetworkObject):
    type_name = "OS::Neutron::L2GatewayConnection"
    support = supported("12.0.0")
    extension = "l2-gateway-connection"
    collection = ("l2-gateway-connections",)
    wrapper = "l2_gateway_connection"
    likened = ("l2_gateway_id", "network_id", "segmentation_id")
    properties = {
        "l2_gateway_id": Property(str, required=True),
        "network_id": Property(str, required=True, constraints=[custom("neutron.network")]),
        "segmentation_id": Property(str),
    }
