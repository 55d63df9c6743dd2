from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.keystone.base import KeystoneType


class Project(KeystoneType):
    """A project: what resources of a cloud belong to, and what quotas are counted for.

    Only administrators may create one. Deleting it does not delete what is in it.
    """

    type_name = "OS::Keystone::Project"
    support = supported("2015.1")
    entity = "projects"
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
        "enabled": Property(
            bool,
            "False keeps everybody from working in it; what runs there goes on.",
            default=True,
            update_allowed=True,
        ),
        "parent": Property(
            str,
            "The project, by name or id, that it is part of. Left out, it is on the first level of its "
            "domain.",
            constraints=[custom("keystone.project")],
            support=supported("6.0.0"),
        ),
        "tags": Property(
            list,
            "Labels to find it by in the identity service.",
            default=[],
            update_allowed=True,
            support=supported("10.0.0"),
        ),
    }
    attributes = {
        "name": Attribute(
            str, "What it is called, also where the name was made up.", support=supported("10.0.0")
        ),
        "parent_id": Attribute(
            str, "The project that it is part of, or its domain.", support=supported("10.0.0")
        ),
        "domain_id": Attribute(str, "The domain that it belongs to.", support=supported("10.0.0")),
        "enabled": Attribute(bool, "Whether one can work in it.", support=supported("10.0.0")),
        "is_domain": Attribute(bool, "Whether it acts as a domain itself.", support=supported("10.0.0")),
        "show": SHOW,
    }
    translations = [
        Resolve(("domain",), "get_domain_id"),
        Resolve(("parent",), "get_project_id"),
    ]
    collection = ("projects",)
    wrapper = "project"
    members = {
        "name": "name",
        "domain": "domain_id",
        "description": "description",
        "enabled": "enabled",
        "parent": "parent_id",
        "tags": "tags",
    }
    listed_by = ("name", "domain_id")
