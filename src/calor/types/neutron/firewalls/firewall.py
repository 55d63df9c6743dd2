from __future__ import annotations

from calor.language.schema import SHOW, Attribute, Property, supported, unsupported
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.shared_schema import ValueSpecsAddOnly


class Firewall(NetworkObject):
    type_name = "OS::Neutron::Firewall"
    extension = "fwaas"
    collection = ("fw", "firewalls")
    wrapper = "firewall"
    waits = True
    waits_for_removal = True
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "firewall_policy_id": Property(str, required=True, update_allowed=True),
        "value_specs": Property(dict, default={}, update_allowed=True, support=supported("5.0.0")),
        "shared": Property(bool, update_allowed=True, support=unsupported("6.0.0", supported("2015.1"))),
    }
    attributes = {
        "name": Attribute(str),
        "description": Attribute(str),
        "admin_state_up": Attribute(str),
        "firewall_policy_id": Attribute(str),
        "shared": Attribute(str, support=unsupported("6.0.0")),
        "status": Attribute(str),
        "tenant_id": Attribute(str),
        "show": SHOW,
    }
    rules = [ValueSpecsAddOnly()]

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        # That is one on no router.
        return shown.get("status") == "INACTIVE" or super().is_ready(shown)
