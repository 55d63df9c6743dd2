from __future__ import annotations

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cinder.base import CinderType
from calor.types.cinder.volume.attachments import (
    attach,
    attachment_of,
    await_attached,
    check_attached,
    detach,
)
from calor.types.naming import id_for

MOVING_TO = "_moving_to"
"""The data key for the server and volume of an attachment in progress."""


class VolumeAttachment(CinderType):
    """Attaches a volume to a server, as a further disk of it.

    For a disk to start the server from, name the volume in the server's block_device_mapping_v2 instead.
    """

    type_name = "OS::Cinder::VolumeAttachment"
    association_properties = ("instance_uuid", "volume_id")
    properties = {
        "instance_uuid": Property(
            str, "The id of the server that gets the disk.", required=True, update_allowed=True
        ),
        "volume_id": Property(
            str,
            "The volume to attach. It must be in a zone from which the server can reach it.",
            required=True,
            update_allowed=True,
            constraints=[custom("cinder.volume")],
        ),
        "mountpoint": Property(
            str,
            "The device at which the disk is to appear, such as /dev/vdb. Most hypervisors choose one "
            "themselves and take this for a hint at best, so better leave it out.",
            update_allowed=True,
        ),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await cls._join(ctx, props, is_new=True)

    @classmethod
    async def _join(cls, ctx: Context, props: Properties, *, is_new: bool = False) -> None:
        cloud = await ctx.cloud()
        volume = await id_for(cloud, "cinder.volume", props["volume_id"])
        server, device = props["instance_uuid"], props["mountpoint"]
        made = await attach(ctx, cloud, server, volume, device, is_new=is_new)
        ctx.set_physical_id(str(made.get("id") or volume))

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        server = ctx.properties["instance_uuid"]
        volume = await id_for(cloud, "cinder.volume", ctx.properties["volume_id"])
        found = await attachment_of(cloud, server, volume)
        if found is None:
            return False
        ctx.set_physical_id(str(found.get("id") or volume))
        if ctx.action == "CREATE":
            await await_attached(ctx, cloud, server, volume)
        return True

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        """The volume moves: to another server, another device, or away for another one."""
        wanted = {end: props[end] for end in cls.association_properties}
        moving_to = ctx.data.get(MOVING_TO)
        if changed:
            await cls.delete(ctx)
        elif moving_to and moving_to != wanted:
            # Another update did not get there, and nothing of it is wanted any more.
            await _part(ctx, moving_to)
        ctx.set_data(**{MOVING_TO: wanted})
        await ctx.flush()
        await cls._join(ctx, props)
        ctx.set_data(**{MOVING_TO: None})

    @classmethod
    async def check(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        volume = await id_for(cloud, "cinder.volume", ctx.properties["volume_id"])
        await check_attached(cloud, ctx.properties["instance_uuid"], volume)

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        """Whatever a move was broken off at, another one ends it. A new attachment could not: the volume may be where
        it was."""
        return True

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        await _part(ctx, ctx.properties)
        if ctx.data.get(MOVING_TO):
            # An update that was not finished may have joined these.
            await _part(ctx, ctx.data[MOVING_TO])


async def _part(ctx: Context, ends: JsonMapping) -> None:
    cloud = await ctx.cloud()
    try:
        volume = await id_for(cloud, "cinder.volume", ends["volume_id"])
    except NotFound:
        return
    await detach(ctx, cloud, ends["instance_uuid"], volume)
