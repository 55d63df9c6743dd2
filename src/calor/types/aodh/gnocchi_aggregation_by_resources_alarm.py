from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, GNOCCHI_THRESHOLD


class GnocchiAggregationByResourcesAlarm(AodhType):
    """Watches a metric of many resources together and acts when it passes a threshold.

    The usual case is the load of all servers of a scaling group, found by the stack in their metadata; the
    actions are scaling policies then.
    """

    type_name = "OS::Aodh::GnocchiAggregationByResourcesAlarm"
    support = supported("2015.1")
    properties = {
        "metric": Property(str, "What is measured, such as cpu.", required=True, update_allowed=True),
        "query": Property(
            str,
            'Which resources count: a condition in JSON, such as {"=": {"server_group": "<stack id>"}}, '
            "which str_replace can fill in.",
            required=True,
            update_allowed=True,
        ),
        "resource_type": Property(
            str,
            "The kind of resource that has the metric, such as instance.",
            required=True,
            update_allowed=True,
        ),
        **GNOCCHI_THRESHOLD,
        **ALARM,
    }
