from calor.language.schema import Property, supported
from calor.types.keystone.base import KeystoneType


class Service(KeystoneType):
    type_name = "OS::Keystone::Service"
    support = supported("5.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "type": Property(str, required=True, update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True, support=supported("6.0.0")),
    }
    collection = ("services",)
    wrapper = "service"
    members = {"name": "name", "description": "description", "type": "type", "enabled": "enabled"}
    listed_by = ("name", "type")
