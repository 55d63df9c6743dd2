from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import KeystoneType
from calor.types.keystone.common import ROLES


class Group(KeystoneType):
    type_name = "OS::Keystone::Group"
    support = supported("2015.1")
    entity = "groups"
    properties = {
        "name": Property(str, update_allowed=True),
        "domain": Property(
            str, default="default", update_allowed=True, constraints=[custom("keystone.domain")]
        ),
        "description": Property(str, default="", update_allowed=True),
        "roles": ROLES,
    }
    translations = [Resolve(("domain",), "get_domain_id")]
