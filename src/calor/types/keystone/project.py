from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.keystone.base import KeystoneType


class Project(KeystoneType):
    type_name = "OS::Keystone::Project"
    support = supported("2015.1")
    entity = "projects"
    properties = {
        "name": Property(str, update_allowed=True),
        "domain": Property(
            str, default="default", update_allowed=True, constraints=[custom("keystone.domain")]
        ),
        "description": Property(str, default="", update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
        "parent": Property(str, constraints=[custom("keystone.project")], support=supported("6.0.0")),
        "tags": Property(list, default=[], update_allowed=True, support=supported("10.0.0")),
    }
    attributes = {
        "name": Attribute(str, support=supported("10.0.0")),
        "parent_id": Attribute(str, support=supported("10.0.0")),
        "domain_id": Attribute(str, support=supported("10.0.0")),
        "enabled": Attribute(bool, support=supported("10.0.0")),
        "is_domain": Attribute(bool, support=supported("10.0.0")),
        "show": SHOW,
    }
    translations = [
        Resolve(("domain",), "get_domain_id"),
        Resolve(("parent",), "get_project_id"),
    ]
