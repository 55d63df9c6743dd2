"""What networks of both types have in common."""

from __future__ import annotations

from typing import Any

from calor.clouds.errors import NotFound
from calor.types.behaviour import CloudServices, Context
from calor.types.neutron.objects import NetworkObject

SEGMENTS = "_segments"
"""Where a resource keeps the segments of its network."""


class NetworkType(NetworkObject):
    entity = "network"
    collection = ("networks",)
    wrapper = "network"
    waits = True
    # Subnets come later.
    volatile = True

    @classmethod
    async def look_around(cls, ctx: Context, cloud: CloudServices) -> None:
        if not ctx.reads("segments"):
            return
        only = {"network_id": str(ctx.physical_id)}
        try:
            found = await cloud.all("network", "segments", key="segments", params=only)
        except NotFound:
            found = []
        ctx.note(**{SEGMENTS: sorted(found, key=lambda segment: segment.get("name") or "")})

    @classmethod
    def knows(cls, ctx: Context, attribute: str) -> bool:
        return attribute != "segments" or SEGMENTS in ctx.data

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return ctx.data.get(SEGMENTS) if name == "segments" else super().attribute(ctx, name)
