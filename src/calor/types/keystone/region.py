from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.behaviour import Context
from calor.types.cloud_objects import Object
from calor.types.keystone.base import KeystoneType


class Region(KeystoneType):
    """A part of a cloud with services of its own, which endpoints are sorted by.

    Only administrators may create one.
    """

    type_name = "OS::Keystone::Region"
    support = supported("6.0.0")
    entity = "regions"
    properties = {
        "id": Property(
            str, "What endpoints and clients call it. It must be unique. Left out, it is drawn at random."
        ),
        "parent_region": Property(
            str,
            "The region that it is part of. Left out, it is part of none.",
            update_allowed=True,
            constraints=[custom("keystone.region")],
        ),
        "description": Property(
            str, "A note for people, shown by the identity service.", update_allowed=True
        ),
        "enabled": Property(bool, "Whether it can be used.", default=True, update_allowed=True),
    }
    translations = [Resolve(("parent_region",), "get_region_id")]
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
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        # The service would draw one, which nobody could find again.
        return await super().new(ctx, {**props, "id": props.get("id") or ctx.id.replace("-", "")})
