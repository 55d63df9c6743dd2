from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.keystone.base import KeystoneType
from calor.types.keystone.common import ROLE_RULES, ROLES


class User(KeystoneType):
    """Somebody, or some program, that logs in to the cloud.

    What the user may do depends on roles, its own and those of its groups. Only administrators may create
    one.
    """

    type_name = "OS::Keystone::User"
    support = supported("2015.1")
    entity = "users"
    properties = {
        "name": Property(
            str,
            "The name to log in with. It must be unique in its domain. Left out, it is made up.",
            update_allowed=True,
        ),
        "domain": Property(
            str,
            "The domain, by name or id, that the user belongs to.",
            default="default",
            update_allowed=True,
            constraints=[custom("keystone.domain")],
        ),
        "description": Property(
            str, "A note for people, shown by the identity service.", default="", update_allowed=True
        ),
        "enabled": Property(bool, "False keeps the user from logging in.", default=True, update_allowed=True),
        "email": Property(str, "The user's address. It is recorded only.", update_allowed=True),
        "password": Property(
            str, "What to log in with. Without one, the user cannot log in by password.", update_allowed=True
        ),
        "default_project": Property(
            str,
            "The project, by name or id, to work in when the login names none. It grants no role there.",
            update_allowed=True,
            constraints=[custom("keystone.project")],
        ),
        "groups": Property(
            list,
            "The groups, by name or id, that the user is in.",
            update_allowed=True,
            items=Property(str, constraints=[custom("keystone.group")]),
        ),
        "roles": ROLES,
    }
    attributes = {
        "name": Attribute(
            str, "The name to log in with, also where it was made up.", support=supported("9.0.0")
        ),
        "default_project_id": Attribute(
            str, "The project to work in when the login names none.", support=supported("9.0.0")
        ),
        "domain_id": Attribute(str, "The domain that the user belongs to.", support=supported("9.0.0")),
        "enabled": Attribute(bool, "Whether the user can log in.", support=supported("9.0.0")),
        "password_expires_at": Attribute(
            str, "When the password must have been changed, or empty.", support=supported("9.0.0")
        ),
        "show": SHOW,
    }
    translations = [
        Resolve(("domain",), "get_domain_id"),
        Resolve(("default_project",), "get_project_id"),
        Resolve(("groups",), "get_group_id"),
    ]
    rules = ROLE_RULES
