from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import KeystoneType
from calor.types.keystone.common import ROLE_RULES, ROLES


class Group(KeystoneType):
    """A group of users, who share the roles that are granted to it.

    Users join it by their own property groups.
    """

    type_name = "OS::Keystone::Group"
    support = supported("2015.1")
    entity = "groups"
    properties = {
        "name": Property(
            str,
            "What it is called. It must be unique in its domain. Left out, it is made up.",
            update_allowed=True,
        ),
        "domain": Property(
            str,
            "The domain, by name or id, that it belongs to.",
            default="default",
            update_allowed=True,
            constraints=[custom("keystone.domain")],
        ),
        "description": Property(
            str, "A note for people, shown by the identity service.", default="", update_allowed=True
        ),
        "roles": ROLES,
    }
    translations = [Resolve(("domain",), "get_domain_id")]
    rules = ROLE_RULES
