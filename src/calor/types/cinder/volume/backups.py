"""Backups of volumes, for snapshots of stacks and for volumes that are deleted while their data is kept."""

from __future__ import annotations

from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cloud_objects import failed

Object = JsonObject

UNDER_WAY = "_backup"
"""The data key for the name of the backup in progress, so that none is created twice."""


async def back_up(ctx: Context, cloud: CloudServices) -> str:
    """The id of a backup of the resource's volume, when it is complete."""
    name = ctx.data.get(UNDER_WAY)
    if name is None:
        name = f"{ctx.physical_name(200)}-{int(ctx.now() * 1000):x}"
        ctx.set_data(**{UNDER_WAY: name})
        await ctx.flush()

    async def found() -> Object | None:
        listed = await cloud.list_all("volume", "backups", "detail", key="backups", params={"name": name})
        return next((each for each in listed if each.get("name") == name), None)

    # A volume that is attached is copied as it is at the moment.
    body = {"backup": {"volume_id": ctx.physical_id, "name": name, "force": True}}
    made = await found() or await cloud.create("volume", "backups", body=body, find=found)
    id = str(made["id"])
    await cloud.wait_until("volume", ("backups",), id, _complete, details="detail")
    ctx.set_data(**{UNDER_WAY: None})
    return id


async def restore(cloud: CloudServices, backup: str, volume: str) -> None:
    """Starts to restore a backup to a volume."""
    await cloud.request(
        "volume", "POST", "backups", backup, "restore", body={"restore": {"volume_id": volume}}
    )


def _complete(shown: Object | None) -> bool:
    if shown is None:
        raise ResourceFailed("the backup is gone", "NotFound")
    if str(shown["status"]).startswith("error"):
        words = shown.get("fail_reason")
        raise ResourceFailed(f"the backup failed: {words}", "ResourceInError") if words else failed(shown)
    return bool(shown["status"] == "available")
