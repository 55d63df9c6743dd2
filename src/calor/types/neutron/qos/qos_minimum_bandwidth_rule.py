from calor.language.constraints import one_of, range_
from calor.language.schema import Property, supported
from calor.types.neutron.qos.qos_rule import QOS_RULE, QoSRule


class QoSMinimumBandwidthRule(QoSRule):
    type_name = "OS::Neutron::QoSMinimumBandwidthRule"
    support = supported("14.0.0")
    extension = "qos-bw-minimum-ingress"
    wrapper = "minimum_bandwidth_rule"
    plural = "minimum_bandwidth_rules"
    likened = ("min_kbps", "direction")
    properties = {
        "min_kbps": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "direction": Property(
            str, default="egress", update_allowed=True, constraints=[one_of("egress", "ingress")]
        ),
        **QOS_RULE,
    }
