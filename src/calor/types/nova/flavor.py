from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.nova.base import NovaType


class Flavor(NovaType):
    type_name = "OS::Nova::Flavor"
    support = supported("2014.2")
    entity = "flavors"
    properties = {
        "tenants": Property(
            list,
            default=[],
            update_allowed=True,
            support=supported("8.0.0"),
            items=Property(str, constraints=[custom("keystone.project")]),
        ),
        "flavorid": Property(str, support=supported("7.0.0")),
        "name": Property(str, support=supported("7.0.0")),
        "ram": Property(int, required=True),
        "vcpus": Property(int, required=True),
        "disk": Property(int, default=0),
        "swap": Property(int, default=0),
        "ephemeral": Property(int, default=0),
        "rxtx_factor": Property(float, default=1.0),
        "extra_specs": Property(dict, update_allowed=True),
        "is_public": Property(bool, default=True, support=supported("6.0.0")),
    }
    attributes = {
        "is_public": Attribute(bool, support=supported("6.0.0")),
        "extra_specs": Attribute(dict, support=supported("7.0.0")),
        "show": SHOW,
    }
    translations = [Resolve(("tenants",), "get_project_id")]
