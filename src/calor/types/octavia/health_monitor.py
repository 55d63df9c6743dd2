from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class HealthMonitor(OctaviaType):
    """A check repeated on every member of a pool: members that fail it get no requests until they pass again.

    Without one, a pool assumes all its members to be healthy. A pool can have one.
    """

    type_name = "OS::Octavia::HealthMonitor"
    support = supported("10.0.0")
    properties = {
        "admin_state_up": Property(
            bool,
            "False stops the checks, and all members are considered healthy.",
            default=True,
            update_allowed=True,
        ),
        "delay": Property(
            int,
            "Seconds from one check of a member to the next.",
            required=True,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "expected_codes": Property(
            str,
            "The HTTP status codes of a healthy answer: one (200), several (200,202) or a range (200-204). "
            "By default, it is 200. For types HTTP and HTTPS.",
            update_allowed=True,
        ),
        "http_method": Property(
            str,
            "The method of the HTTP request. By default, it is GET. For types HTTP and HTTPS.",
            update_allowed=True,
            constraints=[
                one_of("GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PATCH")
            ],
        ),
        "max_retries": Property(
            int,
            "How many checks in a row decide that a member is well again.",
            required=True,
            update_allowed=True,
            constraints=[range_(1, 10)],
        ),
        "pool": Property(
            str,
            "The pool, by name or id, whose members are checked.",
            required=True,
            constraints=[custom("octavia.pool")],
        ),
        "timeout": Property(
            int,
            "The timeout for the response of a member, in seconds. It must be less than delay.",
            required=True,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "type": Property(
            str,
            "What a check does: PING the host, open a connection (TCP, UDP-CONNECT), or make a request "
            "(HTTP, HTTPS).",
            required=True,
            constraints=[one_of("PING", "TCP", "HTTP", "HTTPS", "UDP-CONNECT")],
        ),
        "url_path": Property(
            str,
            "The path to request, from the first slash on. By default, it is /. For types HTTP and HTTPS.",
            update_allowed=True,
        ),
        "tenant_id": Property(
            str, "The project to own the monitor, the stack's own by default. Others are for administrators."
        ),
    }
    attributes = {
        "pools": Attribute(list, "The pool it checks, as a list of one map with its id."),
        "show": SHOW,
    }
    translations = [Resolve(("pool",), "octavia.pool")]
