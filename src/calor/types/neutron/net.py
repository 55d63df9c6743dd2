from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import TAGS


class Net(NeutronType):
    type_name = "OS::Neutron::Net"
    entity = "network"
    properties = {
        "name": Property(str, update_allowed=True),
        "value_specs": Property(dict, default={}, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "tenant_id": Property(str),
        "shared": Property(bool, default=False, update_allowed=True),
        "dhcp_agent_ids": Property(list, update_allowed=True),
        "port_security_enabled": Property(bool, update_allowed=True, support=supported("5.0.0")),
        "qos_policy": Property(
            str, update_allowed=True, constraints=[custom("neutron.qos_policy")], support=supported("6.0.0")
        ),
        "dns_domain": Property(
            str, update_allowed=True, constraints=[custom("dns_domain")], support=supported("7.0.0")
        ),
        "availability_zone_hints": Property(list, support=supported("19.0.0")),
        "tags": TAGS,
    }
    attributes = {
        "status": Attribute(str),
        "name": Attribute(str),
        "subnets": Attribute(list),
        "admin_state_up": Attribute(str),
        "tenant_id": Attribute(str),
        "port_security_enabled": Attribute(bool, support=supported("5.0.0")),
        "mtu": Attribute(int, support=supported("5.0.0")),
        "qos_policy_id": Attribute(str, support=supported("6.0.0")),
        "l2_adjacency": Attribute(bool, support=supported("9.0.0")),
        "segments": Attribute(list, support=supported("11.0.0")),
        "show": SHOW,
    }
    translations = [Resolve(("qos_policy",), "get_qos_policy_id")]
