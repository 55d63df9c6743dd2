from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.neutron.qos.qos_rule import QOS_RULE, QoSRule


class QoSDscpMarkingRule(QoSRule):
    type_name = "OS::Neutron::QoSDscpMarkingRule"
    support = supported("7.0.0")
    extension = "qos"
    wrapper = "dscp_marking_rule"
    plural = "dscp_marking_rules"
    likened = ("dscp_mark",)
    properties = {
        "dscp_mark": Property(
            int,
            required=True,
            update_allowed=True,
            constraints=[
                one_of(0, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 46, 48, 56)
            ],
        ),
        **QOS_RULE,
    }
