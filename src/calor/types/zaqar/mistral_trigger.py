from calor.language.constraints import custom, range_
from calor.language.schema import Property, supported
from calor.types.zaqar.base import ZaqarType


class MistralTrigger(ZaqarType):
    type_name = "OS::Zaqar::MistralTrigger"
    support = supported("8.0.0")
    properties = {
        "queue_name": Property(str, required=True, constraints=[custom("zaqar.queue")]),
        "ttl": Property(int, default=220367260800, update_allowed=True, constraints=[range_(min=60)]),
        "workflow_id": Property(
            str, required=True, update_allowed=True, constraints=[custom("mistral.workflow")]
        ),
        "params": Property(dict, default={}, update_allowed=True),
        "input": Property(dict, default={}, update_allowed=True),
    }
