from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, supported
from calor.types.neutron.base import NeutronType


class Quota(NeutronType):
    type_name = "OS::Neutron::Quota"
    support = supported("8.0.0")
    extension = "quotas"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "subnet": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "network": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "floatingip": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_group_rule": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_group": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "router": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "port": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "subnetpool": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("12.0.0")
        ),
        "rbac_policy": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("12.0.0")
        ),
    }
    translations = [Resolve(("project",), "get_project_id")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]
