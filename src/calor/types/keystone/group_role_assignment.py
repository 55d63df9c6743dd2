from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.keystone.common import ROLE_RULES, ROLES
from calor.types.keystone.role_assignment import RoleAssignment


class GroupRoleAssignment(RoleAssignment):
    type_name = "OS::Keystone::GroupRoleAssignment"
    support = supported("5.0.0")
    properties = {
        "group": Property(str, required=True, update_allowed=True, constraints=[custom("keystone.group")]),
        "roles": ROLES,
    }
    rules = ROLE_RULES
    holder = "group"
