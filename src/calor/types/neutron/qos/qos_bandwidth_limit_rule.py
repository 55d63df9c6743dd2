from calor.language.constraints import one_of, range_
from calor.language.schema import Property, supported
from calor.types.neutron.qos.qos_rule import QOS_RULE, QoSRule


class QoSBandwidthLimitRule(QoSRule):
    """A limit on how much the ports under a QoS policy may send or receive.

    It applies to each port separately. A policy can have one for each direction.
    """

    type_name = "OS::Neutron::QoSBandwidthLimitRule"
    support = supported("6.0.0")
    extension = "qos"
    wrapper = "bandwidth_limit_rule"
    plural = "bandwidth_limit_rules"
    likened = ("max_kbps", "max_burst_kbps", "direction")
    properties = {
        "max_kbps": Property(
            int,
            "The rate allowed in the long run, in kilobits per second.",
            required=True,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "max_burst_kbps": Property(
            int,
            "How much may go beyond that at once, in kilobits. 0 leaves it to the network service, which "
            "takes a share of max_kbps.",
            default=0,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "direction": Property(
            str,
            "Whether it limits what ports send (egress) or what they receive (ingress).",
            default="egress",
            update_allowed=True,
            constraints=[one_of("egress", "ingress")],
            support=supported("13.0.0"),
        ),
        **QOS_RULE,
    }
