from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import one_of
from calor.language.schema import Problem, Property, Resolve, supported
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.network_object import NetworkObject


class ActionFitsObject:
    """Only networks can be unwrap_map to others as external ones."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind = given.get("object_type")
        if given.get("action") == "access_as_external" and isinstance(kind, str) and kind != "network":
            yield Problem("StackValidationFailed", f"access_as_external is not for a {kind}", ("action",))


class RBACPolicy(NetworkObject):
    type_name = "OS::Neutron::RBACPolicy"
    support = supported("6.0.0")
    extension = "rbac-policies"
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
        Resolve(("object_id",)),
    ]
    rules = [ActionFitsObject()]

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        kind = f"neutron.{props['object_type']}"
        request_body["object_id"] = await id_for(await ctx.cloud(), kind, props["object_id"])
        return request_body
