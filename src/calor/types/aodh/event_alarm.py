from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, COMPARISON


class EventAlarm(AodhType):
    """Acts as soon as a service reports a certain event.

    Nothing is polled, so the reaction is immediate: to a server that went into error, for instance. The alarm
    stays in the state alarm once it was raised.
    """

    type_name = "OS::Aodh::EventAlarm"
    support = supported("8.0.0")
    properties = {
        "event_type": Property(
            str,
            "The kind of event, such as compute.instance.update; * stands for any text.",
            default="*",
            update_allowed=True,
        ),
        "query": Property(
            list,
            "Conditions that the event must fulfil, all of them.",
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "field": Property(str, "What to compare: a trait of the event, such as traits.state."),
                    "type": Property(
                        str,
                        "What kind of value is compared, written as text.",
                        default="string",
                        constraints=[one_of("integer", "float", "string", "boolean", "datetime")],
                    ),
                    "op": Property(str, "How the trait must compare to the value.", constraints=[COMPARISON]),
                    "value": Property(str, "The value to compare the trait with."),
                },
            ),
        ),
        **ALARM,
    }
