from calor.language.constraints import custom, range_
from calor.language.schema import Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class PoolMember(OctaviaType):
    """A server of a load balancer's pool: the address and port at which it answers.

    Put it beside the server in the template of a scaling group, and the pool grows and shrinks with the
    group.
    """

    type_name = "OS::Octavia::PoolMember"
    support = supported("10.0.0")
    properties = {
        "pool": Property(
            str,
            "The pool, by name or id.",
            required=True,
            constraints=[custom("octavia.pool")],
        ),
        "address": Property(
            str,
            "Where it is reached, such as a server's first_address.",
            required=True,
            constraints=[custom("ip_addr")],
        ),
        "protocol_port": Property(
            int,
            "The port that it serves on, which need not be the listener's.",
            required=True,
            constraints=[range_(1, 65535)],
        ),
        "monitor_address": Property(
            str,
            "Where the health monitor checks it; its address when left out.",
            constraints=[custom("ip_addr")],
        ),
        "monitor_port": Property(
            int,
            "The port that the health monitor checks; its protocol_port when left out.",
            constraints=[range_(1, 65535)],
        ),
        "weight": Property(
            int,
            "Its share of the requests: one of weight 10 gets twice as many as one of 5. With 0 it gets no "
            "new ones, to be taken out of service softly.",
            default=1,
            update_allowed=True,
            constraints=[range_(0, 256)],
        ),
        "admin_state_up": Property(bool, "False disables it.", default=True, update_allowed=True),
        "subnet": Property(
            str,
            "The subnet, by name or id, on which the load balancer reaches it. By default, it uses the "
            "routes of its own subnet.",
            constraints=[custom("neutron.subnet")],
        ),
        "tags": Property(
            list,
            "Labels to find it by in the load balancing service.",
            update_allowed=True,
            support=supported("13.0.0"),
        ),
    }
    translations = [
        Resolve(("subnet",), "neutron.subnet"),
        Resolve(("pool",), "octavia.pool"),
    ]
