from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, Replace, Resolve, deprecated, hidden, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import PORT_EXTRAS, TAGS


class Port(NeutronType):
    type_name = "OS::Neutron::Port"
    entity = "port"
    properties = {
        "name": Property(str, update_allowed=True),
        "network_id": Property(
            str, constraints=[custom("neutron.network")], support=hidden("5.0.0", deprecated("2014.2"))
        ),
        "network": Property(
            str, required=True, constraints=[custom("neutron.network")], support=supported("2014.2")
        ),
        "device_id": Property(str, default="", update_allowed=True),
        "device_owner": Property(str, default="", update_allowed=True),
        "fixed_ips": Property(
            list,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "subnet_id": Property(
                        str,
                        constraints=[custom("neutron.subnet")],
                        support=hidden("5.0.0", deprecated("2014.2 ")),
                    ),
                    "subnet": Property(
                        str, constraints=[custom("neutron.subnet")], support=supported("2014.2")
                    ),
                    "ip_address": Property(str, constraints=[custom("ip_addr")]),
                },
            ),
        ),
        "security_groups": Property(list, update_allowed=True),
        "replacement_policy": Property(
            str,
            default="AUTO",
            update_allowed=True,
            constraints=[one_of("REPLACE_ALWAYS", "AUTO")],
            support=hidden("9.0.0", deprecated("6.0.0", supported("2014.2"))),
        ),
        "dns_name": Property(
            str, update_allowed=True, constraints=[custom("dns_name")], support=supported("7.0.0")
        ),
        "tags": TAGS,
        **PORT_EXTRAS,
    }
    attributes = {
        "admin_state_up": Attribute(str),
        "device_id": Attribute(str),
        "device_owner": Attribute(str),
        "fixed_ips": Attribute(list),
        "mac_address": Attribute(str),
        "name": Attribute(str),
        "network_id": Attribute(str),
        "security_groups": Attribute(list),
        "status": Attribute(str),
        "tenant_id": Attribute(str),
        "allowed_address_pairs": Attribute(list),
        "subnets": Attribute(list),
        "port_security_enabled": Attribute(bool, support=supported("5.0.0")),
        "qos_policy_id": Attribute(str, support=supported("6.0.0")),
        "dns_assignment": Attribute(dict, support=supported("7.0.0")),
        "network": Attribute(dict, support=supported("11.0.0")),
        "propagate_uplink_status": Attribute(bool, support=supported("15.0.0")),
        "show": SHOW,
    }
    translations = [
        Replace(("network",), source=("network_id",)),
        Replace(("fixed_ips", "subnet"), sibling="subnet_id"),
        Resolve(("network",), "find_resourceid_by_name_or_id", "network"),
        Resolve(("fixed_ips", "subnet"), "find_resourceid_by_name_or_id", "subnet"),
    ]
