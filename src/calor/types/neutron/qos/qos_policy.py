from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.neutron.network_object import NetworkObject


class QoSPolicy(NetworkObject):
    """A named set of rules about bandwidth and priority, for networks and ports.

    It has no effect until rules are added, such as OS::Neutron::QoSBandwidthLimitRule, and a qos_policy
    property names it. Most clouds let only administrators make one.
    """

    type_name = "OS::Neutron::QoSPolicy"
    support = supported("6.0.0")
    extension = "qos"
    collection = ("qos", "policies")
    wrapper = "policy"
    # Rules are separate objects.
    volatile = True
    properties = {
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "description": Property(str, "A note for people who choose among policies.", update_allowed=True),
        "shared": Property(
            bool, "Whether every project can use the policy.", default=False, update_allowed=True
        ),
        "tenant_id": Property(
            str, "The project to own the policy, the stack's own by default. Others are for administrators."
        ),
    }
    attributes = {
        "rules": Attribute(list, "The rules in force, each with its id and type."),
        "show": SHOW,
    }
