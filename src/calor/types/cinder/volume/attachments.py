"""Volumes as disks of servers: the compute service attaches them, and the status of the volume shows when that is
done."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from calor.clouds.errors import Conflict, NotFound, Permanent
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject
from calor.types.cloud_objects import failed

Object = JsonObject

TRIES = 30
PAUSE = 2.0
"""Seconds between tries to detach from a server that is busy, or until a server has let go."""
ATTACHING = "2.60"
"""The microversion from which on servers share volumes. Those that are shelved take part since 2.20."""
PATIENCE = 60.0
"""Seconds within which a volume that is being attached must show that."""


async def attachment_of(cloud: CloudServices, server: str, volume: str) -> Object | None:
    """How a server has a volume; None if it has not."""
    return await cloud.show("compute", "servers", server, "os-volume_attachments", volume)


async def check_attached(cloud: CloudServices, server: str, volume: str) -> None:
    if await attachment_of(cloud, server, volume) is None:
        raise ResourceFailed(f"server {server} does not have volume {volume}", "NotFound")


async def attach(
    ctx: Context,
    cloud: CloudServices,
    server: str,
    volume: str,
    device: str | None = None,
    *,
    is_new: bool = False,
) -> Object:
    """Returns, with the attachment, when the server has the volume. One that it has already is fine, unless it is
    known that it has not."""

    async def found() -> Object | None:
        return await attachment_of(cloud, server, volume)

    wanted = {"volumeId": volume, **({"device": device} if device else {})}
    there = None if is_new else await found()
    made = there or await cloud.create(
        "compute",
        "servers",
        server,
        "os-volume_attachments",
        body={"volumeAttachment": wanted},
        find=found,
        version=ATTACHING,
    )
    await await_attached(ctx, cloud, server, volume)
    return made


async def await_attached(ctx: Context, cloud: CloudServices, server: str, volume: str) -> None:
    began = ctx.now()

    def settled(shown: Object | None) -> bool:
        if shown is None:
            raise ResourceFailed(f"volume {volume} is gone", "NotFound")
        status = str(shown["status"])
        if status.startswith("error"):
            raise failed(shown)
        if status == "available" and ctx.now() - began > PATIENCE:
            raise ResourceFailed(f"volume {volume} was not attached", "ResourceInError")
        return status == "in-use" and server in servers_of(shown)

    await _until(cloud, volume, settled)


async def detach(ctx: Context, cloud: CloudServices, server: str, volume: str) -> None:
    """Returns when the server has let go of the volume. If one of them is gone, or they were parted before, that is
    fine."""
    shown = await cloud.show("volume", "volumes", volume)
    if shown is None or server not in servers_of(shown):
        return
    if shown["status"] != "detaching":
        await _ask_to_detach(ctx, cloud, server, volume)

    def settled(now: Object | None) -> bool:
        if now is None:
            return True
        if str(now["status"]).startswith("error"):
            raise failed(now)
        return server not in servers_of(now) and now["status"] != "detaching"

    await _until(cloud, volume, settled)
    for _ in range(TRIES):
        if await attachment_of(cloud, server, volume) is None:
            return
        await ctx.sleep(PAUSE)
    raise ResourceFailed(f"server {server} does not let go of volume {volume}", "Error")


def servers_of(shown: JsonMapping) -> list[str]:
    """The servers that have a volume."""
    return [str(each["server_id"]) for each in shown.get("attachments") or () if each.get("server_id")]


async def _ask_to_detach(ctx: Context, cloud: CloudServices, server: str, volume: str) -> None:
    """A server that is being worked on refuses for the moment."""
    with suppress(NotFound):
        for _ in range(TRIES):
            try:
                await _ask_once_to_detach(cloud, server, volume)
                return
            except Conflict:
                await ctx.sleep(PAUSE)
            except Permanent as error:
                # Also the response for a volume that is being detached.
                if error.status != 400:
                    raise
                now = await cloud.show("volume", "volumes", volume)
                if now is None or now["status"] not in ("detaching", "available"):
                    raise
                return
        await _ask_once_to_detach(cloud, server, volume)


async def _ask_once_to_detach(cloud: CloudServices, server: str, volume: str) -> None:
    path = ("servers", server, "os-volume_attachments", volume)
    await cloud.request("compute", "DELETE", *path, version=ATTACHING)


async def _until(cloud: CloudServices, volume: str, settled: Any) -> None:
    await cloud.wait_until("volume", ("volumes",), volume, settled, details="detail")
