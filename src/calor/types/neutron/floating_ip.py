from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Replace, Resolve, deprecated, hidden, supported
from calor.types.neutron.base import NeutronType


class FloatingIP(NeutronType):
    type_name = "OS::Neutron::FloatingIP"
    entity = "floatingip"
    properties = {
        "floating_network_id": Property(
            str, constraints=[custom("neutron.network")], support=hidden("5.0.0", deprecated("2014.2"))
        ),
        "floating_network": Property(
            str, required=True, constraints=[custom("neutron.network")], support=supported("2014.2")
        ),
        "floating_subnet": Property(str, constraints=[custom("neutron.subnet")], support=supported("9.0.0")),
        "value_specs": Property(dict, default={}),
        "port_id": Property(str, update_allowed=True, constraints=[custom("neutron.port")]),
        "fixed_ip_address": Property(str, update_allowed=True, constraints=[custom("ip_addr")]),
        "floating_ip_address": Property(str, constraints=[custom("ip_addr")], support=supported("5.0.0")),
        "dns_name": Property(
            str, update_allowed=True, constraints=[custom("rel_dns_name")], support=supported("7.0.0")
        ),
        "dns_domain": Property(
            str, update_allowed=True, constraints=[custom("dns_domain")], support=supported("7.0.0")
        ),
    }
    attributes = {
        "router_id": Attribute(str),
        "tenant_id": Attribute(str),
        "floating_network_id": Attribute(str),
        "fixed_ip_address": Attribute(str, live=True),
        "floating_ip_address": Attribute(str),
        "port_id": Attribute(str, live=True),
        "show": SHOW,
    }
    translations = [
        Replace(("floating_network",), source=("floating_network_id",)),
        Resolve(("floating_network",), "find_resourceid_by_name_or_id", "network"),
        Resolve(("floating_subnet",), "find_resourceid_by_name_or_id", "subnet"),
    ]
