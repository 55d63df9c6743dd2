from calor.language.constraints import one_of, range_
from calor.language.schema import Property, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.qos import QOS_RULE


class QoSBandwidthLimitRule(NeutronType):
    type_name = "OS::Neutron::QoSBandwidthLimitRule"
    support = supported("6.0.0")
    extension = "qos"
    entity = "bandwidth_limit_rule"
    properties = {
        "max_kbps": Property(int, required=True, update_allowed=True, constraints=[range_(min=0)]),
        "max_burst_kbps": Property(int, default=0, update_allowed=True, constraints=[range_(min=0)]),
        "direction": Property(
            str,
            default="egress",
            update_allowed=True,
            constraints=[one_of("egress", "ingress")],
            support=supported("13.0.0"),
        ),
        **QOS_RULE,
    }
