from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class HealthMonitor(OctaviaType):
    type_name = "OS::Octavia::HealthMonitor"
    support = supported("10.0.0")
    properties = {
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "delay": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "expected_codes": Property(str, update_allowed=True),
        "http_method": Property(
            str,
            update_allowed=True,
            constraints=[
                one_of("GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PATCH")
            ],
        ),
        "max_retries": Property(int, required=True, update_allowed=True, constraints=[range_(1, 10)]),
        "pool": Property(str, required=True, constraints=[custom("octavia.pool")]),
        "timeout": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "type": Property(
            str, required=True, constraints=[one_of("PING", "TCP", "HTTP", "HTTPS", "UDP-CONNECT")]
        ),
        "url_path": Property(str, update_allowed=True),
        "tenant_id": Property(str),
    }
    attributes = {
        "pools": Attribute(list),
        "show": SHOW,
    }
    translations = [Resolve(("pool",), "get_pool")]
