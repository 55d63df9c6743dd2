from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Property, Resolve, unsupported
from calor.types.neutron.network_object import NetworkObject


class FlowClassifier(NetworkObject):
    type_name = "OS::Neutron::FlowClassifier"
    support = unsupported("8.0.0")
    collection = ("sfc", "flow_classifiers")
    wrapper = "flow_classifier"
    constraint = "neutron.flow_classifier"
    noun = "flow classifier"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "protocol": Property(str, constraints=[one_of("tcp", "udp", "icmp")]),
        "ethertype": Property(str, default="IPv4", constraints=[one_of("IPv4", "IPv6")]),
        "source_ip_prefix": Property(str, constraints=[custom("net_cidr")]),
        "destination_ip_prefix": Property(str, constraints=[custom("net_cidr")]),
        "source_port_range_min": Property(int, constraints=[range_(1, 65535)]),
        "source_port_range_max": Property(int, constraints=[range_(1, 65535)]),
        "destination_port_range_min": Property(int, constraints=[range_(1, 65535)]),
        "destination_port_range_max": Property(int, constraints=[range_(1, 65535)]),
        "logical_source_port": Property(str, constraints=[custom("neutron.port")]),
        "logical_destination_port": Property(str, constraints=[custom("neutron.port")]),
        "l7_parameters": Property(dict, support=unsupported()),
    }
    translations = [
        Resolve(("logical_source_port",), "neutron.port"),
        Resolve(("logical_destination_port",), "neutron.port"),
    ]
