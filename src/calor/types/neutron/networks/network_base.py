"""What networks of both types have in common."""

from __future__ import annotations

from calor.clouds.errors import NotFound
from calor.resources.context import AttributeContext, Context, ResourceView
from calor.resources.services import CloudServices
from calor.types.neutron.network_object import NetworkObject

SEGMENTS = "_segments"
"""Where a resource keeps the segments of its network."""


class NetworkType(NetworkObject, extends=True):
    collection = ("networks",)
    wrapper = "network"
    waits = True
    # Subnets are created later.
    volatile = True

    @classmethod
    async def read_related(cls, ctx: Context, cloud: CloudServices) -> None:
        if not ctx.reads("segments"):
            return
        only = {"network_id": str(ctx.physical_id)}
        try:
            found = await cloud.list_all("network", "segments", key="segments", params=only)
        except NotFound:
            found = []
        ctx.set_data(**{SEGMENTS: sorted(found, key=lambda segment: segment.get("name") or "")})

    @classmethod
    def is_attribute_known(cls, ctx: ResourceView, attribute: str) -> bool:
        return attribute != "segments" or SEGMENTS in ctx.data

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get(SEGMENTS) if name == "segments" else super().attribute(ctx, name)
