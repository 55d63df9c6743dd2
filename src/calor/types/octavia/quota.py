from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class Quota(OctaviaType):
    type_name = "OS::Octavia::Quota"
    support = supported("14.0.0")
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "healthmonitor": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "listener": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "loadbalancer": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "pool": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "member": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
    }
    translations = [Resolve(("project",), "keystone.project")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]
