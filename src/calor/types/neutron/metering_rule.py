from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.neutron.base import NeutronType


class MeteringRule(NeutronType):
    type_name = "OS::Neutron::MeteringRule"
    support = supported("2014.1")
    entity = "metering_label_rule"
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
