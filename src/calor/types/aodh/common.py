"""Shapes that several types of alarm share."""

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Property, supported

COMPARISON = one_of("le", "ge", "eq", "lt", "gt", "ne")

QUEUES = Property(
    list,
    default=[],
    update_allowed=True,
    support=supported("8.0.0"),
    items=Property(str, constraints=[custom("zaqar.queue")]),
)

ALARM = {
    "description": Property(str, update_allowed=True),
    "enabled": Property(bool, default="true", update_allowed=True),
    "alarm_actions": Property(list, update_allowed=True),
    "ok_actions": Property(list, update_allowed=True),
    "insufficient_data_actions": Property(list, update_allowed=True),
    "alarm_queues": QUEUES,
    "ok_queues": QUEUES,
    "insufficient_data_queues": QUEUES,
    "repeat_actions": Property(bool, default="true", update_allowed=True),
    "severity": Property(
        str,
        default="low",
        update_allowed=True,
        constraints=[one_of("low", "moderate", "critical")],
        support=supported("5.0.0"),
    ),
    "time_constraints": Property(
        list,
        default=[],
        support=supported("5.0.0"),
        items=Property(
            dict,
            fields={
                "name": Property(str, required=True),
                "start": Property(str, required=True, constraints=[custom("cron_expression")]),
                "description": Property(str),
                "duration": Property(int, required=True, constraints=[range_(min=0)]),
                "timezone": Property(str, constraints=[custom("timezone")]),
            },
        ),
    ),
}

GNOCCHI_THRESHOLD = {
    "comparison_operator": Property(str, update_allowed=True, constraints=[COMPARISON]),
    "evaluation_periods": Property(int, update_allowed=True),
    "aggregation_method": Property(str, update_allowed=True),
    "granularity": Property(int, update_allowed=True),
    "threshold": Property(float, required=True, update_allowed=True),
}
