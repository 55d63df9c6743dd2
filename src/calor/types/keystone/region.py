from __future__ import annotations

from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.keystone.base import KeystoneType


class Region(KeystoneType):
    """A part of a cloud with its own services. Endpoints belong to regions.

    Only administrators may create one.
    """

    type_name = "OS::Keystone::Region"
    support = supported("6.0.0")
    properties = {
        "id": Property(
            str, "What endpoints and clients call it. It must be unique. By default, it is drawn at random."
        ),
        "parent_region": Property(
            str,
            "The region that it is part of. By default, it is part of none.",
            update_allowed=True,
            constraints=[custom("keystone.region")],
        ),
        "description": Property(
            str, "A note for people, shown by the identity service.", update_allowed=True
        ),
        "enabled": Property(bool, "Whether it can be used.", default=True, update_allowed=True),
    }
    translations = [Resolve(("parent_region",), "keystone.region")]
    collection = ("regions",)
    wrapper = "region"
    members = {
        "id": "id",
        "parent_region": "parent_region_id",
        "description": "description",
        "enabled": "enabled",
    }
    nullable = frozenset({"description", "parent_region"})
    listed_by = ("parent_region_id",)

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        # The service would draw one, which nobody could find again.
        return await super().new(ctx, {**props, "id": props.get("id") or ctx.id.replace("-", "")})
