from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, GNOCCHI_THRESHOLD


class GnocchiAggregationByMetricsAlarm(AodhType):
    type_name = "OS::Aodh::GnocchiAggregationByMetricsAlarm"
    support = supported("2015.1")
    properties = {
        "metrics": Property(list, required=True, update_allowed=True),
        **GNOCCHI_THRESHOLD,
        **ALARM,
    }
