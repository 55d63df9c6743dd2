from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class AvailabilityZone(OctaviaType):
    type_name = "OS::Octavia::AvailabilityZone"
    support = supported("24.0.0")
    properties = {
        "description": Property(str, default="", update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
        "name": Property(str, update_allowed=True),
        "availability_zone_profile": Property(
            str, required=True, constraints=[custom("octavia.availabilityzoneprofile")]
        ),
    }
    attributes = {
        "availability_zone_profile_id": Attribute(str),
        "show": SHOW,
    }
    translations = [Resolve(("availability_zone_profile",), "octavia.availabilityzoneprofile")]
