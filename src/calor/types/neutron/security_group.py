from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Property, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import IP_PROTOCOLS


class SecurityGroup(NeutronType):
    type_name = "OS::Neutron::SecurityGroup"
    support = supported("2014.1")
    extension = "security-group"
    entity = "security_group"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "rules": Property(
            list,
            default=[],
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "direction": Property(str, default="ingress", constraints=[one_of("ingress", "egress")]),
                    "ethertype": Property(str, default="IPv4", constraints=[one_of("IPv4", "IPv6")]),
                    "port_range_min": Property(int, constraints=[range_(0, 65535)]),
                    "port_range_max": Property(int, constraints=[range_(0, 65535)]),
                    "protocol": Property(str, constraints=[IP_PROTOCOLS]),
                    "remote_mode": Property(
                        str,
                        default="remote_ip_prefix",
                        constraints=[one_of("remote_ip_prefix", "remote_group_id")],
                    ),
                    "remote_group_id": Property(str, constraints=[custom("neutron.security_group")]),
                    "remote_ip_prefix": Property(str, constraints=[custom("net_cidr")]),
                    "description": Property(str, support=supported("27.0.0")),
                },
            ),
        ),
        "stateful": Property(bool, update_allowed=True, support=supported("27.0.0")),
    }
