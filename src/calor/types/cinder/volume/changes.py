"""Changes of a volume in place. Some are possible only while no server has it, so servers let go of it meanwhile."""

from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import CloudError, NotFound
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cinder.volume.attachments import attach, detach
from calor.types.cinder.volume.backups import restore
from calor.types.cloud_objects import Object, failed
from calor.types.naming import id_for

DETACHED = "_detached"
"""Where a resource keeps the servers, with their devices, that get the volume back when it is changed."""
RESTORED = "_restored"
"""Where a resource keeps the backup that was last written to the volume by an update that is not done yet."""
SHRINKING = "Shrinking volume is not supported."
WHEN_FREE = frozenset({"size", "backup_id", "read_only"})
"""Properties that are changed while no server has the volume."""


async def apply_changes(
    ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
) -> None:
    """Changes the volume to match the properties. After a crash, a repeated call continues where the first one
    ended."""
    if "volume_type" in changed and props["volume_type"]:
        await _retype(ctx, cloud, props["volume_type"])
    wanted = {name: props[name] for name in WHEN_FREE & changed if props[name] is not None}
    if not wanted and not ctx.data.get(DETACHED):
        return
    if "size" in wanted:
        await _refuse_to_shrink(ctx, cloud, wanted["size"])
    try:
        await _change_while_free(ctx, cloud, wanted)
    except (ResourceFailed, CloudError):
        # What cannot be given back now stays noted, and is given back by the next update.
        with suppress(ResourceFailed, CloudError):
            await _give_all_back(ctx, cloud)
        raise
    await _give_all_back(ctx, cloud)
    ctx.set_data(**{RESTORED: None})


async def _change_while_free(ctx: Context, cloud: CloudServices, wanted: Properties) -> None:
    if not wanted:
        return
    await _detach_all(ctx, cloud)
    if "backup_id" in wanted:
        await _restore(ctx, cloud, wanted["backup_id"])
    if "size" in wanted:
        await _extend(ctx, cloud, wanted["size"])
    if "read_only" in wanted:
        await set_read_only(ctx, cloud, wanted["read_only"])


async def _give_all_back(ctx: Context, cloud: CloudServices) -> None:
    for each in ctx.data.get(DETACHED) or ():
        await _give_back(ctx, cloud, each["server"], each["device"])
    ctx.set_data(**{DETACHED: None})


async def _give_back(ctx: Context, cloud: CloudServices, server: str, device: str | None) -> None:
    try:
        await attach(ctx, cloud, server, str(ctx.physical_id), device)
    except NotFound:
        # A server that is gone wants nothing back.
        if await cloud.show("compute", "servers", server) is not None:
            raise


async def set_read_only(ctx: Context, cloud: CloudServices, read_only: bool) -> None:
    await _act(ctx, cloud, {"os-update_readonly_flag": {"readonly": read_only}})


async def _detach_all(ctx: Context, cloud: CloudServices) -> None:
    if ctx.data.get(DETACHED) is None:
        shown = await _shown(ctx, cloud)
        attachments = shown.get("attachments") or ()
        ctx.set_data(
            **{
                DETACHED: [
                    {"server": each["server_id"], "device": each.get("device")} for each in attachments
                ]
            }
        )
        await ctx.flush()
    for each in ctx.data[DETACHED]:
        await detach(ctx, cloud, each["server"], str(ctx.physical_id))


async def _restore(ctx: Context, cloud: CloudServices, backup: str) -> None:
    if ctx.data.get(RESTORED) != backup:
        if (await _shown(ctx, cloud))["status"] != "restoring-backup":
            await restore(cloud, await id_for(cloud, "cinder.backup", backup), str(ctx.physical_id))
        ctx.set_data(**{RESTORED: backup})
    await _await_free(ctx, cloud)


async def _refuse_to_shrink(ctx: Context, cloud: CloudServices, size: int) -> None:
    """Checked first: the volume may be larger than in the last template."""
    if size < (await _shown(ctx, cloud))["size"]:
        raise ResourceFailed(SHRINKING, "NotSupported")


async def _extend(ctx: Context, cloud: CloudServices, size: int) -> None:
    shown = await _shown(ctx, cloud)
    if size > shown["size"] and shown["status"] != "extending":
        await _act(ctx, cloud, {"os-extend": {"new_size": size}})
    if size > shown["size"]:
        await _await_free(ctx, cloud)


async def _retype(ctx: Context, cloud: CloudServices, volume_type: str) -> None:
    wanted = await id_for(cloud, "cinder.vtype", volume_type)
    if await _type_of(ctx, cloud) == wanted:
        return
    if (await _shown(ctx, cloud))["status"] != "retyping":
        await _act(ctx, cloud, {"os-retype": {"new_type": wanted, "migration_policy": "on-demand"}})
    await _await_status(ctx, cloud, "available", "in-use")
    if await _type_of(ctx, cloud) != wanted:
        raise ResourceFailed(f"the volume cannot be moved to the type {volume_type}", "Error")


async def _type_of(ctx: Context, cloud: CloudServices) -> str | None:
    name = (await _shown(ctx, cloud)).get("volume_type")
    return await id_for(cloud, "cinder.vtype", name) if name else None


async def _shown(ctx: Context, cloud: CloudServices) -> Object:
    shown = await cloud.show("volume", "volumes", str(ctx.physical_id))
    if shown is None:
        raise ResourceFailed(f"volume {ctx.physical_id} is gone", "NotFound")
    return shown


async def _act(ctx: Context, cloud: CloudServices, action: Object) -> None:
    await cloud.request("volume", "POST", "volumes", str(ctx.physical_id), "action", body=action)


async def _await_free(ctx: Context, cloud: CloudServices) -> None:
    await _await_status(ctx, cloud, "available")


async def _await_status(ctx: Context, cloud: CloudServices, *statuses: str) -> None:
    def settled(shown: Object | None) -> bool:
        if shown is None:
            raise ResourceFailed(f"volume {ctx.physical_id} is gone", "NotFound")
        if str(shown["status"]).startswith("error"):
            raise failed(shown)
        return shown["status"] in statuses

    await cloud.wait_until("volume", ("volumes",), str(ctx.physical_id), settled, details="detail")
