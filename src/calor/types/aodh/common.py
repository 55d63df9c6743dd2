"""Shapes that several types of alarm share."""

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Property, supported

COMPARISON = one_of("le", "ge", "eq", "lt", "gt", "ne")


def _actions(state: str) -> Property:
    return Property(
        list,
        f"URLs to call when its state changes to {state}, such as the alarm_url of a scaling policy.",
        update_allowed=True,
    )


def _queues(state: str) -> Property:
    return Property(
        list,
        f"Zaqar queues that get a message when its state changes to {state}.",
        default=[],
        update_allowed=True,
        support=supported("8.0.0"),
        items=Property(str, constraints=[custom("zaqar.queue")]),
    )


ALARM = {
    "description": Property(str, "A note for people, shown by the alarm service.", update_allowed=True),
    "enabled": Property(bool, "Whether the alarm is evaluated at all.", default="true", update_allowed=True),
    "alarm_actions": _actions("alarm"),
    "ok_actions": _actions("ok"),
    "insufficient_data_actions": _actions("insufficient data"),
    "alarm_queues": _queues("alarm"),
    "ok_queues": _queues("ok"),
    "insufficient_data_queues": _queues("insufficient data"),
    "repeat_actions": Property(
        bool,
        "True repeats the actions at each evaluation for as long as the state lasts; false does them once, "
        "when the state changes.",
        default="true",
        update_allowed=True,
    ),
    "severity": Property(
        str,
        "How bad it is. The service only records it, for those who look at alarms.",
        default="low",
        update_allowed=True,
        constraints=[one_of("low", "moderate", "critical")],
        support=supported("5.0.0"),
    ),
    "time_constraints": Property(
        list,
        "When the alarm is evaluated, such as at night only. Left out, always; otherwise within any of "
        "these.",
        default=[],
        support=supported("5.0.0"),
        items=Property(
            dict,
            fields={
                "name": Property(str, "Tells the constraints of an alarm apart.", required=True),
                "start": Property(
                    str,
                    "When the time begins, as a cron expression.",
                    required=True,
                    constraints=[custom("cron_expression")],
                ),
                "description": Property(str, "A note for people."),
                "duration": Property(
                    int, "How long it lasts, in seconds.", required=True, constraints=[range_(min=0)]
                ),
                "timezone": Property(
                    str,
                    "The zone, such as Europe/Ljubljana, of start. By default, it is UTC.",
                    constraints=[custom("timezone")],
                ),
            },
        ),
    ),
}

OPERATOR = Property(
    str,
    "How the measured value must compare to the threshold to raise the alarm: gt for greater than, le for "
    "less or equal, and so on. By default, it is eq.",
    update_allowed=True,
    constraints=[COMPARISON],
)
PERIODS = Property(
    int,
    "How many times in a row the comparison must hold before the state changes. Left out, once is enough.",
    update_allowed=True,
)
THRESHOLD = Property(
    float, "The value to compare with, in the unit of what is measured.", required=True, update_allowed=True
)

GNOCCHI_THRESHOLD = {
    "comparison_operator": OPERATOR,
    "evaluation_periods": PERIODS,
    "aggregation_method": Property(
        str,
        "How the measures of a time span become one value: mean, max, sum, rate:mean and the like. The "
        "metric's archive policy must keep it.",
        update_allowed=True,
    ),
    "granularity": Property(
        int,
        "The length of a time span in seconds. The metric's archive policy must keep it.",
        update_allowed=True,
    ),
    "threshold": THRESHOLD,
}
