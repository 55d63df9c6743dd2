from calor.language.schema import Property, supported
from calor.types.keystone.base import KeystoneType


class Domain(KeystoneType):
    type_name = "OS::Keystone::Domain"
    support = supported("8.0.0")
    entity = "domains"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
    }
