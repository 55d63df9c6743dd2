from calor.language.constraints import custom, range_
from calor.language.schema import Property, supported
from calor.types.zaqar.base import ZaqarType


class Subscription(ZaqarType):
    type_name = "OS::Zaqar::Subscription"
    support = supported("8.0.0")
    properties = {
        "queue_name": Property(str, required=True, constraints=[custom("zaqar.queue")]),
        "subscriber": Property(str, required=True, update_allowed=True),
        "ttl": Property(int, default=220367260800, update_allowed=True, constraints=[range_(min=60)]),
        "options": Property(dict, update_allowed=True),
    }
