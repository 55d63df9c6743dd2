from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class LoadBalancer(OctaviaType):
    type_name = "OS::Octavia::LoadBalancer"
    support = supported("10.0.0")
    properties = {
        "description": Property(str, default="", update_allowed=True),
        "name": Property(str, update_allowed=True),
        "provider": Property(str),
        "vip_address": Property(str, constraints=[custom("ip_addr")]),
        "vip_subnet": Property(str, required=True, constraints=[custom("neutron.subnet")]),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "tenant_id": Property(str, constraints=[custom("keystone.project")]),
        "flavor": Property(str, constraints=[custom("octavia.flavor")], support=supported("14.0.0")),
        "availability_zone": Property(
            str, constraints=[custom("octavia.availabilityzone")], support=supported("17.0.0")
        ),
    }
    attributes = {
        "vip_address": Attribute(str),
        "vip_port_id": Attribute(str),
        "vip_subnet_id": Attribute(str),
        "pools": Attribute(list),
        "flavor_id": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Resolve(("vip_subnet",), "find_resourceid_by_name_or_id", "subnet"),
        Resolve(("flavor",), "get_flavor"),
    ]
