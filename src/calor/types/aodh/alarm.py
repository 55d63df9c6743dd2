from calor.language.constraints import one_of
from calor.language.schema import Property, deprecated, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, COMPARISON, OPERATOR, PERIODS, THRESHOLD


class Alarm(AodhType):
    """Watches a meter of Ceilometer and acts when it passes a threshold.

    Ceilometer no longer keeps measures itself, so this works in old clouds only. Use
    OS::Aodh::GnocchiAggregationByResourcesAlarm or a similar type.
    """

    type_name = "OS::Aodh::Alarm"
    support = deprecated("10.0.0", supported("2014.1"))
    properties = {
        "comparison_operator": OPERATOR,
        "evaluation_periods": PERIODS,
        "meter_name": Property(str, "What is measured, such as cpu_util.", required=True),
        "period": Property(
            int,
            "The length in seconds of the time span over which samples are aggregated into one value.",
            update_allowed=True,
        ),
        "statistic": Property(
            str,
            "How the samples of a time span become one value.",
            update_allowed=True,
            constraints=[one_of("count", "avg", "sum", "min", "max")],
        ),
        "threshold": THRESHOLD,
        "matching_metadata": Property(
            dict,
            "Only samples of resources with these metadata count. For servers these are the server's own "
            "metadata, such as metering.server_group.",
            default={},
            update_allowed=True,
        ),
        "query": Property(
            list,
            "Conditions that samples must fulfil to count, all of them, besides matching_metadata.",
            update_allowed=True,
            support=supported("2015.1"),
            items=Property(
                dict,
                fields={
                    "field": Property(
                        str, "What to compare: an attribute of the sample, such as resource_id."
                    ),
                    "type": Property(
                        str,
                        "What kind of value is compared, written as text.",
                        default="string",
                        constraints=[one_of("integer", "float", "string", "boolean", "datetime")],
                        support=supported("8.0.0"),
                    ),
                    "op": Property(
                        str, "How the attribute must compare to the value.", constraints=[COMPARISON]
                    ),
                    "value": Property(str, "The value to compare the attribute with."),
                },
            ),
        ),
        **ALARM,
    }
