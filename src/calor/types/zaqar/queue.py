from calor.language.constraints import length
from calor.language.schema import SHOW, Attribute, Property, deprecated, hidden, supported
from calor.types.zaqar.base import ZaqarType


class Queue(ZaqarType):
    type_name = "OS::Zaqar::Queue"
    support = supported("2014.2")
    name_limit = 64
    properties = {
        "name": Property(str, constraints=[length(max=64)]),
        "metadata": Property(dict, update_allowed=True),
    }
    attributes = {
        "queue_id": Attribute(live=True, support=hidden("6.0.0", deprecated("2015.1", supported("2014.1")))),
        "href": Attribute(),
        "show": SHOW,
    }
