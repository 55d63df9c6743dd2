from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class LoadBalancer(OctaviaType):
    """An address that distributes requests over several servers.

    By itself it has only the address: OS::Octavia::Listener opens a port, OS::Octavia::Pool and
    OS::Octavia::PoolMember define the members. Anything changed below it makes it busy for a while; resources
    that come upon it then just wait.
    """

    type_name = "OS::Octavia::LoadBalancer"
    support = supported("10.0.0")
    properties = {
        "description": Property(
            str, "A note for people who choose among load balancers.", default="", update_allowed=True
        ),
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "provider": Property(
            str, "Which of the cloud's implementations to use, such as amphora or ovn. Left out, its default."
        ),
        "vip_address": Property(
            str,
            "The very address to listen on; any free one of the subnet when left out.",
            constraints=[custom("ip_addr")],
        ),
        "vip_subnet": Property(
            str,
            "The subnet, by name or id, to have the address of.",
            required=True,
            constraints=[custom("neutron.subnet")],
        ),
        "admin_state_up": Property(
            bool, "False disables it, so that all traffic is refused.", default=True, update_allowed=True
        ),
        "tenant_id": Property(
            str,
            "The project to own the load balancer, the stack's own by default. Others are for "
            "administrators.",
            constraints=[custom("keystone.project")],
        ),
        "flavor": Property(
            str,
            "The set of provider options, by name or id, that the operator offers: size, redundancy and so "
            "on.",
            constraints=[custom("octavia.flavor")],
            support=supported("14.0.0"),
        ),
        "availability_zone": Property(
            str,
            "The load balancing service's zone to run in. Left out, its default.",
            constraints=[custom("octavia.availabilityzone")],
            support=supported("17.0.0"),
        ),
    }
    attributes = {
        "vip_address": Attribute(str, "The address that clients connect to."),
        "vip_port_id": Attribute(str, "The id of the port with that address, to put a floating IP on."),
        "vip_subnet_id": Attribute(str, "The id of the address's subnet, also when the template names it."),
        "pools": Attribute(list, "The pools below it, each a map with its id."),
        "flavor_id": Attribute(str, "The id of the flavor, also when the template names it."),
        "show": SHOW,
    }
    translations = [
        Resolve(("vip_subnet",), "neutron.subnet"),
        Resolve(("flavor",), "octavia.flavor"),
    ]
