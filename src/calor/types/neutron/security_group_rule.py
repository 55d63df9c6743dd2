from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Property, Resolve, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import IP_PROTOCOLS


class SecurityGroupRule(NeutronType):
    type_name = "OS::Neutron::SecurityGroupRule"
    support = supported("7.0.0")
    extension = "security-group"
    entity = "security_group_rule"
    properties = {
        "security_group": Property(str, required=True, constraints=[custom("neutron.security_group")]),
        "description": Property(str),
        "direction": Property(str, default="ingress", constraints=[one_of("ingress", "egress")]),
        "ethertype": Property(str, default="IPv4", constraints=[one_of("IPv4", "IPv6")]),
        "port_range_min": Property(int, constraints=[range_(0, 65535)]),
        "port_range_max": Property(int, constraints=[range_(0, 65535)]),
        "protocol": Property(str, default="tcp", constraints=[IP_PROTOCOLS]),
        "remote_group": Property(str, constraints=[custom("neutron.security_group")]),
        "remote_ip_prefix": Property(str, constraints=[custom("net_cidr")]),
    }
    translations = [
        Resolve(("security_group",), "find_resourceid_by_name_or_id", "security_group"),
        Resolve(("remote_group",), "find_resourceid_by_name_or_id", "security_group"),
    ]
