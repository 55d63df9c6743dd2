from collections.abc import Iterator

from calor.language.constraints import custom, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, Resolve, supported
from calor.language.values import bare
from calor.resources.values import Properties
from calor.types.octavia.base import OctaviaType
from calor.types.octavia.common import PROTOCOLS


class Certificate:
    """Who ends TLS has to have a certificate."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        ends_tls = bare(given.get("protocol")) == "TERMINATED_HTTPS"
        if ends_tls and given.get("default_tls_container_ref") is None:
            yield Problem("StackValidationFailed", "TERMINATED_HTTPS needs default_tls_container_ref")


class Listener(OctaviaType):
    """A port on which a load balancer accepts requests for a pool."""

    type_name = "OS::Octavia::Listener"
    support = supported("10.0.0")
    properties = {
        "protocol_port": Property(
            int,
            "The port that clients connect to. With its protocol it is taken once on a load balancer.",
            required=True,
            constraints=[range_(1, 65535)],
        ),
        "protocol": Property(
            str,
            "What clients speak. HTTPS is passed on encrypted, TERMINATED_HTTPS is decrypted here and needs "
            "a certificate; PROXY passes the client's address on.",
            required=True,
            constraints=[PROTOCOLS],
        ),
        "loadbalancer": Property(
            str,
            "The load balancer, by name or id, whose address it listens on.",
            required=True,
            constraints=[custom("octavia.loadbalancer")],
        ),
        "default_pool": Property(
            str,
            "The pool, by name or id, for requests that no L7 policy sends elsewhere. A pool that names this "
            "listener becomes it by itself.",
            update_allowed=True,
            constraints=[custom("octavia.pool")],
        ),
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "admin_state_up": Property(
            bool, "False disables it, so that connections are refused.", default=True, update_allowed=True
        ),
        "description": Property(
            str, "A note for people who read the load balancer's setup.", default="", update_allowed=True
        ),
        "default_tls_container_ref": Property(
            str,
            "Where the key manager keeps the certificate and key to show to clients. For TERMINATED_HTTPS.",
            update_allowed=True,
        ),
        "sni_container_refs": Property(
            list,
            "Further certificates in the key manager, selected by the host name that a client requests.",
            update_allowed=True,
        ),
        "connection_limit": Property(
            int,
            "How many connections may be open at once; -1 sets no limit.",
            default=-1,
            update_allowed=True,
            constraints=[range_(min=-1)],
        ),
        "tenant_id": Property(
            str, "The project to own the listener, the stack's own by default. Others are for administrators."
        ),
        "allowed_cidrs": Property(
            list,
            "The networks whose clients may connect, in CIDR notation. By default, all may.",
            update_allowed=True,
            support=supported("14.0.0"),
            items=Property(str, constraints=[custom("net_cidr")]),
        ),
    }
    attributes = {
        "loadbalancers": Attribute(
            list, "The load balancer it belongs to, as a list of one map with its id."
        ),
        "default_pool_id": Attribute(str, "The id of the default pool; null while it has none."),
        "show": SHOW,
    }
    translations = [
        Resolve(("loadbalancer",), "octavia.loadbalancer"),
        Resolve(("default_pool",), "octavia.pool"),
    ]
    rules = [Certificate()]
