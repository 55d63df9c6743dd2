from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.neutron.base import NeutronType


class QoSPolicy(NeutronType):
    type_name = "OS::Neutron::QoSPolicy"
    support = supported("6.0.0")
    extension = "qos"
    entity = "qos_policy"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "shared": Property(bool, default=False, update_allowed=True),
        "tenant_id": Property(str),
    }
    attributes = {
        "rules": Attribute(list),
        "show": SHOW,
    }
