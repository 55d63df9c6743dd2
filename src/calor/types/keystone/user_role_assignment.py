from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.keystone.common import ROLE_RULES, ROLES
from calor.types.keystone.role_assignment import RoleAssignment


class UserRoleAssignment(RoleAssignment):
    type_name = "OS::Keystone::UserRoleAssignment"
    support = supported("5.0.0")
    properties = {
        "user": Property(str, required=True, update_allowed=True, constraints=[custom("keystone.user")]),
        "roles": ROLES,
    }
    rules = ROLE_RULES
    holder = "user"
