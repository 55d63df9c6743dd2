from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, supported
from calor.types.cinder.base import CinderType


class Quota(CinderType):
    type_name = "OS::Cinder::Quota"
    support = supported("7.0.0")
    extension = "os-quota-sets"
    entity = "quotas"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "gigabytes": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "volumes": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "backups": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("16.0.0")
        ),
        "backup_gigabytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("16.0.0")
        ),
        "snapshots": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
    }
    translations = [Resolve(("project",), "get_project_id")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]
