from calor.language.constraints import length, one_of
from calor.language.schema import Property, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM


class CompositeAlarm(AodhType):
    type_name = "OS::Aodh::CompositeAlarm"
    support = supported("8.0.0")
    properties = {
        "composite_rule": Property(
            dict,
            required=True,
            update_allowed=True,
            fields={
                "operator": Property(
                    str, required=True, update_allowed=True, constraints=[one_of("or", "and")]
                ),
                "rules": Property(list, required=True, update_allowed=True, constraints=[length(min=2)]),
            },
        ),
        **ALARM,
    }
