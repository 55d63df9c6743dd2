from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType
from calor.types.octavia.common import PROTOCOLS


class Pool(OctaviaType):
    type_name = "OS::Octavia::Pool"
    support = supported("10.0.0")
    properties = {
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "description": Property(str, default="", update_allowed=True),
        "session_persistence": Property(
            dict,
            update_allowed=True,
            fields={
                "type": Property(
                    str, required=True, constraints=[one_of("SOURCE_IP", "HTTP_COOKIE", "APP_COOKIE")]
                ),
                "cookie_name": Property(str),
            },
        ),
        "name": Property(str, update_allowed=True),
        "lb_algorithm": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT")],
        ),
        "listener": Property(str, constraints=[custom("octavia.listener")]),
        "loadbalancer": Property(str, constraints=[custom("octavia.loadbalancer")]),
        "protocol": Property(str, required=True, constraints=[PROTOCOLS]),
        "tls_enabled": Property(bool, default=False, update_allowed=True, support=supported("14.0.0")),
    }
    attributes = {
        "healthmonitor_id": Attribute(str),
        "listeners": Attribute(str),
        "members": Attribute(list, live=True),
        "show": SHOW,
    }
    translations = [
        Resolve(("listener",), "get_listener"),
        Resolve(("loadbalancer",), "get_loadbalancer"),
    ]
