from calor.language.schema import SHOW, Attribute, Property
from calor.types.neutron.network_object import NetworkObject


class FirewallPolicy(NetworkObject):
    type_name = "OS::Neutron::FirewallPolicy"
    extension = "fwaas"
    collection = ("fw", "firewall_policies")
    wrapper = "firewall_policy"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "shared": Property(bool, default=False, update_allowed=True),
        "audited": Property(bool, default=False, update_allowed=True),
        "firewall_rules": Property(list, update_allowed=True),
    }
    attributes = {
        "name": Attribute(str),
        "description": Attribute(str),
        "firewall_rules": Attribute(list),
        "shared": Attribute(str),
        "audited": Attribute(str),
        "tenant_id": Attribute(str),
        "show": SHOW,
    }
