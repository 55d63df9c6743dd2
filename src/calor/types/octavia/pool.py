from collections.abc import Iterator

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, AtLeastOne, Attribute, Problem, Property, Resolve, supported
from calor.language.values import Unknown, bare
from calor.resources.values import Properties
from calor.types.octavia.base import OctaviaType
from calor.types.octavia.common import PROTOCOLS


class Cookie:
    """The application's cookie must be named, and persistence by address uses none."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        persistence = given.get("session_persistence")
        if not isinstance(persistence, dict):
            return
        kind, cookie = persistence.get("type"), persistence.get("cookie_name")
        if kind == "APP_COOKIE" and not bare(cookie) and not isinstance(cookie, Unknown):
            yield Problem("StackValidationFailed", "session_persistence of type APP_COOKIE needs cookie_name")
        if kind == "SOURCE_IP" and bare(cookie):
            yield Problem("StackValidationFailed", "session_persistence of type SOURCE_IP has no cookie_name")


class Pool(OctaviaType):
    """A group of servers that answer the requests of a listener, and how requests are spread over them.

    With listener it becomes that listener's default; with only loadbalancer it is there for L7 policies and
    several listeners to choose.
    """

    type_name = "OS::Octavia::Pool"
    support = supported("10.0.0")
    properties = {
        "admin_state_up": Property(
            bool, "False disables all its members.", default=True, update_allowed=True
        ),
        "description": Property(
            str, "A note for people who read the load balancer's setup.", default="", update_allowed=True
        ),
        "session_persistence": Property(
            dict,
            "How a client is led to the same member again. By default, each connection is on its own.",
            update_allowed=True,
            fields={
                "type": Property(
                    str,
                    "How a client is recognised: by its address, by a cookie that the load balancer adds "
                    "(HTTP_COOKIE), or by one that the application sets (APP_COOKIE).",
                    required=True,
                    constraints=[one_of("SOURCE_IP", "HTTP_COOKIE", "APP_COOKIE")],
                ),
                "cookie_name": Property(
                    str, "The application's cookie. Needed for APP_COOKIE, refused for SOURCE_IP."
                ),
            },
        ),
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "lb_algorithm": Property(
            str,
            "The algorithm for choosing the member for a connection: each member in turn, the one with the "
            "fewest connections, or always the same for the same client address (and port). Weights of members "
            "count in all of them.",
            required=True,
            update_allowed=True,
            constraints=[one_of("ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT")],
        ),
        "listener": Property(
            str,
            "The listener, by name or id, whose default pool it becomes. Needed unless loadbalancer is "
            "given.",
            constraints=[custom("octavia.listener")],
        ),
        "loadbalancer": Property(
            str,
            "The load balancer, by name or id, that may use it. Needed unless listener is given.",
            constraints=[custom("octavia.loadbalancer")],
        ),
        "protocol": Property(
            str,
            "What members are spoken to in. It must go with the listener's: HTTP also behind "
            "TERMINATED_HTTPS.",
            required=True,
            constraints=[PROTOCOLS],
        ),
        "tls_enabled": Property(
            bool,
            "True encrypts the connections to the members.",
            default=False,
            update_allowed=True,
            support=supported("14.0.0"),
        ),
    }
    attributes = {
        "healthmonitor_id": Attribute(str, "The id of the monitor that checks its members, if any."),
        "listeners": Attribute(str, "The listeners that it is the default pool of."),
        "members": Attribute(list, "The members it has at present, each a map with its id.", live=True),
        "show": SHOW,
    }
    translations = [
        Resolve(("listener",), "octavia.listener"),
        Resolve(("loadbalancer",), "octavia.loadbalancer"),
    ]
    rules = [AtLeastOne(("listener", "loadbalancer")), Cookie()]
