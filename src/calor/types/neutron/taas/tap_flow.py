from calor.language.constraints import custom, one_of, pattern
from calor.language.schema import Property, Resolve, supported
from calor.types.neutron.network_object import NetworkObject


class TapFlow(NetworkObject):
    type_name = "OS::Neutron::TaaS::TapFlow"
    support = supported("12.0.0")
    extension = "taas"
    collection = ("taas", "tap_flows")
    wrapper = "tap_flow"
    constraint = "neutron.taas.tap_flow"
    noun = "tap flow"
    members = {"port": "source_port", "tap_service": "tap_service_id"}
    named = False
    likened = ("source_port", "tap_service_id")
    properties = {
        "name": Property(str, default="", update_allowed=True),
        "description": Property(str, default="", update_allowed=True),
        "port": Property(str, required=True, constraints=[custom("neutron.port")]),
        "tap_service": Property(str, required=True, constraints=[custom("neutron.taas.tap_service")]),
        "direction": Property(str, default="BOTH", constraints=[one_of("IN", "OUT", "BOTH")]),
        "vlan_filter": Property(str, constraints=[pattern("^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$")]),
    }
    translations = [
        Resolve(("port",), "neutron.port"),
        Resolve(("tap_service",), "neutron.taas.tap_service"),
    ]
