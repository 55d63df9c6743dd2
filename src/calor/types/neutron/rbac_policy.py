from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.constraints import one_of
from calor.language.schema import Problem, Property, Resolve, supported
from calor.types.behaviour import Context
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.objects import NetworkObject


class ActionFitsObject:
    """Only networks can be opened to others as external ones."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        kind = given.get("object_type")
        if given.get("action") == "access_as_external" and isinstance(kind, str) and kind != "network":
            yield Problem("StackValidationFailed", f"access_as_external is not for a {kind}", ("action",))


class RBACPolicy(NetworkObject):
    type_name = "OS::Neutron::RBACPolicy"
    support = supported("6.0.0")
    extension = "rbac-policies"
    entity = "rbac_policy"
    collection = ("rbac-policies",)
    wrapper = "rbac_policy"
    likened = ("object_type", "object_id", "action", "target_tenant")
    properties = {
        "object_type": Property(
            str,
            required=True,
            constraints=[one_of("network", "qos_policy", "security_group", "address_scope", "subnetpool")],
        ),
        "target_tenant": Property(str, required=True, update_allowed=True),
        "action": Property(
            str, required=True, constraints=[one_of("access_as_shared", "access_as_external")]
        ),
        "object_id": Property(str, required=True),
        "tenant_id": Property(str),
    }
    translations = [
        # What object_id names depends on object_type.
        Resolve(("object_id",), "find_resourceid_by_name_or_id"),
    ]
    rules = [ActionFitsObject()]

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await super().said(ctx, props)
        kind = f"neutron.{props['object_type']}"
        said["object_id"] = await id_for(await ctx.cloud(), kind, props["object_id"])
        return said
