"""What the rules of a QoS policy have in common."""

from calor.language.constraints import custom
from calor.language.schema import Property

QOS_RULE = {
    "policy": Property(str, required=True, constraints=[custom("neutron.qos_policy")]),
    "tenant_id": Property(str),
}
