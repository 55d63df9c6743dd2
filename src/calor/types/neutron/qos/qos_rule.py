"""What the rules of a QoS policy have in common."""

from __future__ import annotations

from calor.language.constraints import custom
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.network_subobject import PartType

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


class QoSRule(PartType, extends=True):
    collection = ("qos", "policies")
    whole = "policy"

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        policy = await id_for(await ctx.cloud(), "neutron.qos_policy", props["policy"])
        return await super().request_body(ctx, {**props, "policy": policy})
