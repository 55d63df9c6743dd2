"""Floating addresses as CloudFormation names them: by the address itself, or by an id that it calls an allocation."""

from __future__ import annotations

from calor.resources.context import ObjectView
from calor.resources.services import CloudReader


async def allocation_of(ctx: ObjectView, cloud: CloudReader) -> str | None:
    """The id of the floating address that a resource is known by; None if it is gone."""
    known = ctx.data.get("allocation_id")
    return str(known) if known else await allocation_at(cloud, str(ctx.physical_id))


async def allocation_at(cloud: CloudReader, address: str) -> str | None:
    params = {"floating_ip_address": address}
    listed = await cloud.list_all("network", "floatingips", key="floatingips", params=params)
    return next((str(one["id"]) for one in listed if one["floating_ip_address"] == address), None)
