from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import KeystoneType


class Region(KeystoneType):
    type_name = "OS::Keystone::Region"
    support = supported("6.0.0")
    entity = "regions"
    properties = {
        "id": Property(str),
        "parent_region": Property(str, update_allowed=True, constraints=[custom("keystone.region")]),
        "description": Property(str, update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
    }
    translations = [Resolve(("parent_region",), "get_region_id")]
