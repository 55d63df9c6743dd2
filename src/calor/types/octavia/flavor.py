from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class Flavor(OctaviaType):
    type_name = "OS::Octavia::Flavor"
    support = supported("14.0.0")
    properties = {
        "description": Property(str, default="", update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
        "name": Property(str, update_allowed=True),
        "flavor_profile": Property(str, required=True, constraints=[custom("octavia.flavorprofile")]),
    }
    attributes = {
        "flavor_profile_id": Attribute(str),
        "show": SHOW,
    }
    translations = [Resolve(("flavor_profile",), "octavia.flavorprofile")]
