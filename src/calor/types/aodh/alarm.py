from calor.language.constraints import one_of
from calor.language.schema import Property, deprecated, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, COMPARISON


class Alarm(AodhType):
    type_name = "OS::Aodh::Alarm"
    support = deprecated("10.0.0", supported("2014.1"))
    properties = {
        "comparison_operator": Property(str, update_allowed=True, constraints=[COMPARISON]),
        "evaluation_periods": Property(int, update_allowed=True),
        "meter_name": Property(str, required=True),
        "period": Property(int, update_allowed=True),
        "statistic": Property(
            str, update_allowed=True, constraints=[one_of("count", "avg", "sum", "min", "max")]
        ),
        "threshold": Property(float, required=True, update_allowed=True),
        "matching_metadata": Property(dict, default={}, update_allowed=True),
        "query": Property(
            list,
            update_allowed=True,
            support=supported("2015.1"),
            items=Property(
                dict,
                fields={
                    "field": Property(str),
                    "type": Property(
                        str,
                        default="string",
                        constraints=[one_of("integer", "float", "string", "boolean", "datetime")],
                        support=supported("8.0.0"),
                    ),
                    "op": Property(str, constraints=[COMPARISON]),
                    "value": Property(str),
                },
            ),
        ),
        **ALARM,
    }
