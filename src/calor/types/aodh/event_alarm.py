from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM, COMPARISON


class EventAlarm(AodhType):
    type_name = "OS::Aodh::EventAlarm"
    support = supported("8.0.0")
    properties = {
        "event_type": Property(str, default="*", update_allowed=True),
        "query": Property(
            list,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "field": Property(str),
                    "type": Property(
                        str,
                        default="string",
                        constraints=[one_of("integer", "float", "string", "boolean", "datetime")],
                    ),
                    "op": Property(str, constraints=[COMPARISON]),
                    "value": Property(str),
                },
            ),
        ),
        **ALARM,
    }
