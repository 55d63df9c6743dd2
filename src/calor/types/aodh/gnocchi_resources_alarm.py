from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, GNOCCHI_THRESHOLD


class GnocchiResourcesAlarm(AodhType):
    type_name = "OS::Aodh::GnocchiResourcesAlarm"
    support = supported("2015.1")
    properties = {
        "metric": Property(str, required=True, update_allowed=True),
        "resource_id": Property(str, required=True, update_allowed=True),
        "resource_type": Property(str, required=True, update_allowed=True),
        **GNOCCHI_THRESHOLD,
        **ALARM,
    }
