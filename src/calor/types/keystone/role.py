from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import UniquelyNamed


class Role(UniquelyNamed):
    """A role: what users may do follows from those they have.

    What it permits is decided by the policies of each service. Grant it in roles of a user or a group. Only
    administrators may create one.
    """

    type_name = "OS::Keystone::Role"
    support = supported("2015.1")
    entity = "roles"
    properties = {
        "name": Property(
            str, "What policies and role assignments call it. Left out, it is made up.", update_allowed=True
        ),
        "domain": Property(
            str,
            "The domain, by name or id, that it is for. Left out, it is for all.",
            constraints=[custom("keystone.domain")],
            support=supported("16.0.0"),
        ),
    }
    translations = [Resolve(("domain",), "get_domain_id")]
    collection = ("roles",)
    wrapper = "role"
    members = {"name": "name", "domain": "domain_id"}
    listed_by = ("name", "domain_id")
