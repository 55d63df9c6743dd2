from calor.language.constraints import one_of, range_
from calor.language.schema import Property, ResourceType, supported


class Delay(ResourceType):
    type_name = "OS::Heat::Delay"
    support = supported("11.0.0")
    properties = {
        "min_wait": Property(float, default=0, update_allowed=True, constraints=[range_(min=0)]),
        "max_jitter": Property(float, default=0, update_allowed=True, constraints=[range_(min=0)]),
        "jitter_multiplier": Property(float, default=1.0, update_allowed=True, constraints=[range_(min=0)]),
        "actions": Property(
            list,
            default=["CREATE"],
            update_allowed=True,
            constraints=[one_of("CREATE", "DELETE", "SUSPEND", "RESUME")],
        ),
    }
