from calor.language.constraints import one_of, range_
from calor.language.schema import Property, supported
from calor.types.neutron.qos.qos_rule import QOS_RULE, QoSRule


class QoSMinimumPacketRateRule(QoSRule):
    type_name = "OS::Neutron::QoSMinimumPacketRateRule"
    support = supported("19.0.0")
    extension = "qos-pps-minimum"
    wrapper = "minimum_packet_rate_rule"
    plural = "minimum_packet_rate_rules"
    likened = ("min_kpps", "direction")
    properties = {
        "min_kpps": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "direction": Property(
            str, default="egress", update_allowed=True, constraints=[one_of("any", "egress", "ingress")]
        ),
        **QOS_RULE,
    }
