from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.octavia.base import OctaviaType


class AvailabilityZoneProfile(OctaviaType):
    type_name = "OS::Octavia::AvailabilityZoneProfile"
    support = supported("24.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "availability_zone_data": Property(
            str, required=True, update_allowed=True, constraints=[custom("json_string")]
        ),
        "provider_name": Property(str, update_allowed=True),
    }
