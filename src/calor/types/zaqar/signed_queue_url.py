from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.zaqar.base import ZaqarType


class SignedQueueURL(ZaqarType):
    type_name = "OS::Zaqar::SignedQueueURL"
    support = supported("8.0.0")
    properties = {
        "queue": Property(str, required=True),
        "paths": Property(list),
        "ttl": Property(int),
        "methods": Property(
            list, items=Property(str, constraints=[one_of("GET", "DELETE", "PATCH", "POST", "PUT")])
        ),
    }
    attributes = {
        "signature": Attribute(secret=True),
        "expires": Attribute(),
        "paths": Attribute(),
        "methods": Attribute(),
        "project": Attribute(),
        "query_str": Attribute(secret=True),
        "show": SHOW,
    }
