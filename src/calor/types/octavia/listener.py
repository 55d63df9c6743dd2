from calor.language.constraints import custom, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType
from calor.types.octavia.common import PROTOCOLS


class Listener(OctaviaType):
    type_name = "OS::Octavia::Listener"
    support = supported("10.0.0")
    properties = {
        "protocol_port": Property(int, required=True, constraints=[range_(1, 65535)]),
        "protocol": Property(str, required=True, constraints=[PROTOCOLS]),
        "loadbalancer": Property(str, required=True, constraints=[custom("octavia.loadbalancer")]),
        "default_pool": Property(str, update_allowed=True, constraints=[custom("octavia.pool")]),
        "name": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "description": Property(str, default="", update_allowed=True),
        "default_tls_container_ref": Property(str, update_allowed=True),
        "sni_container_refs": Property(list, update_allowed=True),
        "connection_limit": Property(int, default=-1, update_allowed=True, constraints=[range_(min=-1)]),
        "tenant_id": Property(str),
        "allowed_cidrs": Property(
            list,
            update_allowed=True,
            support=supported("14.0.0"),
            items=Property(str, constraints=[custom("net_cidr")]),
        ),
    }
    attributes = {
        "loadbalancers": Attribute(list),
        "default_pool_id": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Resolve(("loadbalancer",), "get_loadbalancer"),
        Resolve(("default_pool",), "get_pool"),
    ]
