from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, COMPARISON


class PrometheusAlarm(AodhType):
    type_name = "OS::Aodh::PrometheusAlarm"
    support = supported("22.0.0")
    properties = {
        "comparison_operator": Property(str, update_allowed=True, constraints=[COMPARISON]),
        "query": Property(str, required=True, update_allowed=True),
        "threshold": Property(float, required=True, update_allowed=True),
        **ALARM,
    }
