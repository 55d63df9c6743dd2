from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.keystone.base import KeystoneType
from calor.types.keystone.common import ROLES


class User(KeystoneType):
    type_name = "OS::Keystone::User"
    support = supported("2015.1")
    entity = "users"
    properties = {
        "name": Property(str, update_allowed=True),
        "domain": Property(
            str, default="default", update_allowed=True, constraints=[custom("keystone.domain")]
        ),
        "description": Property(str, default="", update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
        "email": Property(str, update_allowed=True),
        "password": Property(str, update_allowed=True),
        "default_project": Property(str, update_allowed=True, constraints=[custom("keystone.project")]),
        "groups": Property(
            list, update_allowed=True, items=Property(str, constraints=[custom("keystone.group")])
        ),
        "roles": ROLES,
    }
    attributes = {
        "name": Attribute(str, support=supported("9.0.0")),
        "default_project_id": Attribute(str, support=supported("9.0.0")),
        "domain_id": Attribute(str, support=supported("9.0.0")),
        "enabled": Attribute(bool, support=supported("9.0.0")),
        "password_expires_at": Attribute(str, support=supported("9.0.0")),
        "show": SHOW,
    }
    translations = [
        Resolve(("domain",), "get_domain_id"),
        Resolve(("default_project",), "get_project_id"),
        Resolve(("groups",), "get_group_id"),
    ]
