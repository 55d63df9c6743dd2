from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.octavia.base import OctaviaType


class FlavorProfile(OctaviaType):
    type_name = "OS::Octavia::FlavorProfile"
    support = supported("14.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "flavor_data": Property(str, required=True, update_allowed=True, constraints=[custom("json_string")]),
        "provider_name": Property(str, update_allowed=True),
    }
