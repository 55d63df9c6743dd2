from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.neutron.network_object import NetworkObject


class MeteringRule(NetworkObject):
    type_name = "OS::Neutron::MeteringRule"
    support = supported("2014.1")
    collection = ("metering", "metering-label-rules")
    wrapper = "metering_label_rule"
    likened = ("metering_label_id", "remote_ip_prefix", "direction")
    properties = {
        "metering_label_id": Property(str, required=True),
        "remote_ip_prefix": Property(str, required=True),
        "direction": Property(str, default="ingress", constraints=[one_of("ingress", "egress")]),
        "excluded": Property(bool, default="False"),
    }
    attributes = {
        "direction": Attribute(str),
        "excluded": Attribute(str),
        "metering_label_id": Attribute(str),
        "remote_ip_prefix": Attribute(str),
        "show": SHOW,
    }
