from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.neutron.network_object import NetworkObject


class TapService(NetworkObject):
    type_name = "OS::Neutron::TaaS::TapService"
    support = supported("12.0.0")
    extension = "taas"
    collection = ("taas", "tap_services")
    wrapper = "tap_service"
    constraint = "neutron.taas.tap_service"
    noun = "tap service"
    members = {"port": "port_id"}
    named = False
    likened = ("port_id",)
    properties = {
        "name": Property(str, default="", update_allowed=True),
        "description": Property(str, default="", update_allowed=True),
        "port": Property(str, required=True, constraints=[custom("neutron.port")]),
    }
    translations = [Resolve(("port",), "neutron.port")]
