from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Replace, Resolve, deprecated, hidden, supported
from calor.types.neutron.vpn.vpn_base import VPNObject


class VPNService(VPNObject):
    type_name = "OS::Neutron::VPNService"
    extension = "vpnaas"
    collection = ("vpn", "vpnservices")
    wrapper = "vpnservice"
    members = {"subnet": "subnet_id", "router": "router_id"}
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "subnet_id": Property(
            str, constraints=[custom("neutron.subnet")], support=hidden("5.0.0", deprecated("2014.2"))
        ),
        "subnet": Property(
            str, required=True, constraints=[custom("neutron.subnet")], support=supported("2014.2")
        ),
        "router_id": Property(
            str,
            constraints=[custom("neutron.router")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2013.2"))),
        ),
        "router": Property(
            str, required=True, constraints=[custom("neutron.router")], support=supported("2015.1")
        ),
    }
    attributes = {
        "admin_state_up": Attribute(str),
        "description": Attribute(str),
        "name": Attribute(str),
        "router_id": Attribute(str),
        "status": Attribute(str),
        "subnet_id": Attribute(str),
        "tenant_id": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Replace(("subnet",), source=("subnet_id",)),
        Resolve(("subnet",), "neutron.subnet"),
        Replace(("router",), source=("router_id",)),
        Resolve(("router",), "neutron.router"),
    ]
