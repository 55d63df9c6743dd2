from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, pattern
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cinder.volume.attachments import (
    attach,
    attachment_of,
    await_attached,
    check_attached,
    detach,
)
from calor.types.naming import id_for


class VolumeAttachment(ResourceType):
    """Attaches a volume to a server, and detaches it when deleted.

    None of its properties can be changed later: use another attachment instead.
    """

    type_name = "AWS::EC2::VolumeAttachment"
    association_properties = ("InstanceId", "VolumeId")
    service = "cinder"
    properties = {
        "InstanceId": Property(
            str,
            "The server that gets the volume. It has to be running.",
            required=True,
            immutable=True,
            constraints=[custom("nova.server")],
        ),
        "VolumeId": Property(
            str,
            "The volume, which must not be in use elsewhere.",
            required=True,
            immutable=True,
            constraints=[custom("cinder.volume")],
        ),
        "Device": Property(
            str,
            "The requested device. The hypervisor may choose another: inside the server, a name below "
            "/dev/disk/by-id that ends in the beginning of the volume's id is a safer choice.",
            required=True,
            immutable=True,
            constraints=[pattern("/dev/vd[b-z]")],
        ),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        server, volume = await _ends(cloud, props)
        made = await attach(ctx, cloud, server, volume, props["Device"])
        ctx.set_physical_id(str(made.get("id") or volume))

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        server, volume = await _ends(cloud, ctx.properties)
        found = await attachment_of(cloud, server, volume)
        if found is None:
            return False
        ctx.set_physical_id(str(found.get("id") or volume))
        if ctx.action == "CREATE":
            await await_attached(ctx, cloud, server, volume)
        return True

    @classmethod
    async def check(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        await check_attached(cloud, *await _ends(cloud, ctx.properties))

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        with suppress(NotFound):
            await detach(ctx, cloud, *await _ends(cloud, ctx.properties))


async def _ends(cloud: CloudServices, props: JsonObject) -> tuple[str, str]:
    """The ids of the server and of the volume."""
    server = await id_for(cloud, "nova.server", props["InstanceId"])
    return server, await id_for(cloud, "cinder.volume", props["VolumeId"])
