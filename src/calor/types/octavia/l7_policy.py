from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class L7Policy(OctaviaType):
    type_name = "OS::Octavia::L7Policy"
    support = supported("10.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "action": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("REJECT", "REDIRECT_TO_POOL", "REDIRECT_TO_URL")],
        ),
        "redirect_pool": Property(str, update_allowed=True, constraints=[custom("octavia.pool")]),
        "redirect_url": Property(str, update_allowed=True),
        "position": Property(float, update_allowed=True, constraints=[range_(min=1)]),
        "listener": Property(str, required=True, constraints=[custom("octavia.listener")]),
    }
    attributes = {
        "rules": Attribute(list),
        "show": SHOW,
    }
    translations = [
        Resolve(("listener",), "get_listener"),
        Resolve(("redirect_pool",), "get_pool"),
    ]
