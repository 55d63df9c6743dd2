from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import NETWORK_TYPES


class ProviderNet(NeutronType):
    type_name = "OS::Neutron::ProviderNet"
    support = supported("2014.1")
    extension = "provider"
    entity = "network"
    properties = {
        "name": Property(str, update_allowed=True),
        "network_type": Property(str, required=True, update_allowed=True, constraints=[NETWORK_TYPES]),
        "physical_network": Property(str, update_allowed=True),
        "segmentation_id": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "shared": Property(bool, default=True, update_allowed=True),
        "port_security_enabled": Property(bool, update_allowed=True, support=supported("8.0.0")),
        "router_external": Property(bool, default=False, update_allowed=True, support=supported("6.0.0")),
        "tags": Property(list, update_allowed=True, support=supported("12.0.0"), items=Property(str)),
        "dns_domain": Property(
            str, update_allowed=True, constraints=[custom("dns_domain")], support=supported("15.0.0")
        ),
        "availability_zone_hints": Property(list, update_allowed=True, support=supported("19.0.0")),
        "tenant_id": Property(str, support=supported("24.0.0")),
    }
    attributes = {
        "status": Attribute(str),
        "subnets": Attribute(list),
        "segments": Attribute(list, support=supported("16.0.0")),
        "show": SHOW,
    }
    translations = [Resolve(("qos_policy",), "get_qos_policy_id")]
