"""What the rules of a QoS policy have in common."""

from calor.language.constraints import custom
from calor.language.schema import Property

QOS_RULE = {
    "policy": Property(
        str,
        "The QoS policy, by name or id, that the rule is part of.",
        required=True,
        constraints=[custom("neutron.qos_policy")],
    ),
    "tenant_id": Property(
        str, "The project to own the rule, the stack's own by default. Others are for administrators."
    ),
}
