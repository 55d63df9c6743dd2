"""What the rules of a QoS policy have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Property
from calor.types.behaviour import Context
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.parts import PartType

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


class QoSRule(PartType):
    collection = ("qos", "policies")
    whole = "policy"

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        policy = await id_for(await ctx.cloud(), "neutron.qos_policy", props["policy"])
        return await super().said(ctx, {**props, "policy": policy})
