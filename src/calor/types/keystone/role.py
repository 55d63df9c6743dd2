from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import KeystoneType


class Role(KeystoneType):
    type_name = "OS::Keystone::Role"
    support = supported("2015.1")
    entity = "roles"
    properties = {
        "name": Property(str, update_allowed=True),
        "domain": Property(str, constraints=[custom("keystone.domain")], support=supported("16.0.0")),
    }
    translations = [Resolve(("domain",), "get_domain_id")]
