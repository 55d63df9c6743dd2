"""Backups that are made of volumes when a stack is, or when a volume goes but its data is to stay."""

from __future__ import annotations

from typing import Any

from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.cloud_objects import failed

Object = dict[str, Any]

UNDER_WAY = "_backup"
"""Where a resource keeps the name of the backup that is being made, so that none is made twice."""


async def back_up(ctx: Context, cloud: CloudServices) -> str:
    """The id of a backup of the resource's volume, when it is complete."""
    name = ctx.data.get(UNDER_WAY)
    if name is None:
        name = f"{ctx.physical_name(200)}-{int(ctx.now() * 1000):x}"
        ctx.note(**{UNDER_WAY: name})
        await ctx.intend()

    async def found() -> Object | None:
        listed = await cloud.all("volume", "backups", "detail", key="backups", params={"name": name})
        return next((each for each in listed if each.get("name") == name), None)

    # A volume that is attached is copied as it is at the moment.
    body = {"backup": {"volume_id": ctx.physical_id, "name": name, "force": True}}
    made = await found() or await cloud.make("volume", "backups", body=body, find=found)
    id = str(made["id"])
    await cloud.until("volume", ("backups",), id, _complete, details="detail")
    ctx.note(**{UNDER_WAY: None})
    return id


async def restore(cloud: CloudServices, backup: str, volume: str) -> None:
    """Begins to write a backup over what is on a volume."""
    await cloud.ask("volume", "POST", "backups", backup, "restore", body={"restore": {"volume_id": volume}})


def _complete(shown: Object | None) -> bool:
    if shown is None:
        raise ResourceFailed("the backup is gone", "NotFound")
    if str(shown["status"]).startswith("error"):
        words = shown.get("fail_reason")
        raise ResourceFailed(f"the backup failed: {words}", "ResourceInError") if words else failed(shown)
    return bool(shown["status"] == "available")
