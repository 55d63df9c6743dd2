from __future__ import annotations

from calor.language.constraints import custom, one_of
from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.network_object import NetworkObject


class AddressScope(NetworkObject):
    type_name = "OS::Neutron::AddressScope"
    support = supported("6.0.0")
    extension = "address-scope"
    collection = ("address-scopes",)
    wrapper = "address_scope"
    constraint = "neutron.address_scope"
    noun = "address scope"
    properties = {
        "name": Property(str, update_allowed=True),
        "shared": Property(bool, default=False, update_allowed=True),
        "tenant_id": Property(str, constraints=[custom("keystone.project")]),
        "ip_version": Property(int, default=4, constraints=[one_of(4, 6)]),
    }

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        if props["tenant_id"]:
            request_body["tenant_id"] = await id_for(
                await ctx.cloud(), "keystone.project", props["tenant_id"]
            )
        return request_body
