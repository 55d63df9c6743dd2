from calor.language.constraints import custom, range_
from calor.language.schema import Property, Resolve, supported
from calor.types.octavia.base import OctaviaType


class PoolMember(OctaviaType):
    type_name = "OS::Octavia::PoolMember"
    support = supported("10.0.0")
    properties = {
        "pool": Property(str, required=True, constraints=[custom("octavia.pool")]),
        "address": Property(str, required=True, constraints=[custom("ip_addr")]),
        "protocol_port": Property(int, required=True, constraints=[range_(1, 65535)]),
        "monitor_address": Property(str, constraints=[custom("ip_addr")]),
        "monitor_port": Property(int, constraints=[range_(1, 65535)]),
        "weight": Property(int, default=1, update_allowed=True, constraints=[range_(0, 256)]),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "subnet": Property(str, constraints=[custom("neutron.subnet")]),
        "tags": Property(list, update_allowed=True, support=supported("13.0.0")),
    }
    translations = [
        Resolve(("subnet",), "find_resourceid_by_name_or_id", "subnet"),
        Resolve(("pool",), "get_pool"),
    ]
