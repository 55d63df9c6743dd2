from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, deprecated, hidden, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import TAGS


class Router(NeutronType):
    type_name = "OS::Neutron::Router"
    extension = "router"
    entity = "router"
    properties = {
        "name": Property(str, update_allowed=True),
        "external_gateway_info": Property(
            dict,
            update_allowed=True,
            fields={
                "network": Property(str, required=True, update_allowed=True),
                "enable_snat": Property(bool, update_allowed=True),
                "external_fixed_ips": Property(
                    list,
                    update_allowed=True,
                    support=supported("6.0.0"),
                    items=Property(
                        dict,
                        fields={
                            "ip_address": Property(str, constraints=[custom("ip_addr")]),
                            "subnet": Property(str, constraints=[custom("neutron.subnet")]),
                        },
                    ),
                ),
            },
        ),
        "value_specs": Property(dict, default={}, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "l3_agent_id": Property(
            str, update_allowed=True, support=hidden("6.0.0", deprecated("2015.1", supported("2014.1")))
        ),
        "l3_agent_ids": Property(list, update_allowed=True, support=supported("2015.1"), items=Property(str)),
        "distributed": Property(bool, support=supported("2015.1")),
        "ha": Property(bool, support=supported("2015.1")),
        "availability_zone_hints": Property(list, update_allowed=True, support=supported("19.0.0")),
        "tags": TAGS,
        "tenant_id": Property(str, support=supported("24.0.0")),
    }
    attributes = {
        "status": Attribute(str),
        "external_gateway_info": Attribute(dict),
        "name": Attribute(str),
        "admin_state_up": Attribute(str),
        "tenant_id": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Resolve(("external_gateway_info", "network"), "find_resourceid_by_name_or_id", "network"),
        Resolve(
            ("external_gateway_info", "external_fixed_ips", "subnet"),
            "find_resourceid_by_name_or_id",
            "subnet",
        ),
    ]
