from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import custom, one_of
from calor.language.schema import Property, supported
from calor.types.behaviour import Context
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.objects import NetworkObject


class AddressScope(NetworkObject):
    type_name = "OS::Neutron::AddressScope"
    support = supported("6.0.0")
    extension = "address-scope"
    entity = "address_scope"
    collection = ("address-scopes",)
    wrapper = "address_scope"
    properties = {
        "name": Property(str, update_allowed=True),
        "shared": Property(bool, default=False, update_allowed=True),
        "tenant_id": Property(str, constraints=[custom("keystone.project")]),
        "ip_version": Property(int, default=4, constraints=[one_of(4, 6)]),
    }

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await super().said(ctx, props)
        if props["tenant_id"]:
            said["tenant_id"] = await id_for(await ctx.cloud(), "keystone.project", props["tenant_id"])
        return said
