from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from calor.language.constraints import custom, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, Replace, deprecated, hidden, supported
from calor.language.values import Unknown
from calor.types.behaviour import CloudServices, Context
from calor.types.cinder.backups import back_up
from calor.types.cinder.base import texts
from calor.types.cinder.refitting import SHRINKING, refit, set_read_only
from calor.types.cinder.volumes import VolumeObject
from calor.types.cloud_objects import SHOWN, Object, some
from calor.types.naming import id_for
from calor.types.rules import empty, filled


class SourceAndSize:
    """An empty volume needs a size; so does one made of an image, while a copy can take over that of its
    origin.
    """

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        size = given.get("size")
        if isinstance(size, Unknown) or not empty(given.get("backup_id")):
            return
        sources = ("snapshot_id", "source_volid", "image")
        sure = [name for name in sources if filled(given.get(name))]
        if len(sure) > 1:
            yield Problem("StackValidationFailed", f"{' and '.join(sure)} exclude each other")
        elif size is None and (
            "image" in sure or (empty(given.get("snapshot_id")) and empty(given.get("source_volid")))
        ):
            yield Problem(
                "StackValidationFailed", "one of size, backup_id, snapshot_id, source_volid must be given"
            )


class Volume(VolumeObject):
    """A disk that exists independently of servers.

    It is empty, or a copy of an image, of another volume, of a snapshot or of a backup. Attach it to a
    running server with OS::Cinder::VolumeAttachment, or name it in a server's block_device_mapping_v2. With
    the deletion policy Snapshot, a backup stays when the volume goes.
    """

    type_name = "OS::Cinder::Volume"
    entity = "volumes"
    properties = {
        "availability_zone": Property(
            str,
            "The zone whose storage holds the volume. The storage service chooses one when it is left out.",
        ),
        "size": Property(
            int,
            "Size in GiB. Growing is done in place, shrinking is impossible. Needed unless there is a "
            "snapshot, a volume or a backup to take the size of.",
            update_allowed=True,
            constraints=[range_(min=1)],
        ),
        "snapshot_id": Property(
            str, "The snapshot to fill the volume from.", constraints=[custom("cinder.snapshot")]
        ),
        "backup_id": Property(
            str,
            "The backup to restore into the volume. Changing it restores the other backup into the same "
            "volume, over the data there.",
            update_allowed=True,
            constraints=[custom("cinder.backup")],
        ),
        "name": Property(
            str,
            "What the volume is called in the storage service. Left out, it is made up.",
            update_allowed=True,
        ),
        "description": Property(str, "A note for people, shown by the storage service.", update_allowed=True),
        "volume_type": Property(
            str,
            "The kind of storage, by name or id. A change moves the volume to the other kind. Left out, the "
            "storage service's default is taken.",
            update_allowed=True,
            constraints=[custom("cinder.vtype")],
        ),
        "metadata": Property(
            dict, "Keys and values that are kept with the volume.", default={}, update_allowed=True
        ),
        "imageRef": Property(str, "Old name of image.", support=hidden("5.0.0", deprecated("2014.1"))),
        "image": Property(
            str,
            "The image, by name or id, to fill the volume with. A server can start from it then. Needs size.",
            constraints=[custom("glance.image")],
        ),
        "source_volid": Property(str, "The volume to copy.", constraints=[custom("cinder.volume")]),
        "scheduler_hints": Property(
            dict,
            "Wishes as to where the volume is placed, such as different_host with the id of another volume.",
            support=supported("2015.1"),
        ),
        "read_only": Property(
            bool,
            "True keeps servers from writing to the volume.",
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "multiattach": Property(
            bool,
            "Has no effect, as the storage service takes this from the volume type: choose one whose extra spec "
            "multiattach is '<is> True'.",
            default=False,
            support=hidden("13.0.0", supported("6.0.0")),
        ),
    }
    attributes = {
        "availability_zone": Attribute(str, "The zone whose storage holds the volume."),
        "size": Attribute(str, "Size in GiB."),
        "snapshot_id": Attribute(str, "The snapshot it was made from, or empty."),
        "display_name": Attribute(str, "What the volume is called in the storage service."),
        "display_description": Attribute(str, "The description, as the storage service has it."),
        "volume_type": Attribute(str, "The kind of storage in use, also where the template names none."),
        "metadata": Attribute(str, "The metadata as a JSON text. See metadata_values for a map."),
        "source_volid": Attribute(str, "The volume it is a copy of, or empty."),
        "status": Attribute(str, "Its state at present: available, in-use, error and so on.", live=True),
        "created_at": Attribute(str, "When it was made."),
        "bootable": Attribute(str, "The text true if a server can start from it, else false."),
        "metadata_values": Attribute(dict, "The metadata as a map."),
        "encrypted": Attribute(str, "Whether the data is stored encrypted."),
        "attachments": Attribute(
            str,
            "Where it is attached, as text. See attachments_list for a list.",
            live=True,
            support=deprecated("9.0.0", supported("2015.1")),
        ),
        "attachments_list": Attribute(
            list,
            "A map for each server it is attached to: its server_id, the device there, and more.",
            live=True,
            support=supported("9.0.0"),
        ),
        "multiattach": Attribute(
            bool, "Whether several servers may have it at a time.", support=supported("6.0.0")
        ),
        "show": SHOW,
    }
    steady = {
        "availability_zone": (),
        "size": ("size", "backup_id"),
        "snapshot_id": (),
        "display_name": ("name",),
        "display_description": ("description",),
        "volume_type": ("volume_type",),
        "source_volid": (),
        "created_at": (),
        "encrypted": ("volume_type",),
    }
    translations = [Replace(("image",), source=("imageRef",))]
    rules = [SourceAndSize()]
    snapshot_parts: ClassVar[Mapping[str, tuple[str, str]]] = {"backup_id": ("volume", "backups")}

    @classmethod
    def refusal(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> str | None:
        was, shall_be = before.get("size"), after.get("size")
        if "size" not in changed or not isinstance(was, int) or not isinstance(shall_be, int):
            return None
        return SHRINKING if shall_be < was else None

    @classmethod
    def backup_of(cls, props: Mapping[str, Any]) -> str | None:
        return props["backup_id"] or None

    @classmethod
    def request(cls, props: Mapping[str, Any], body: Object) -> Object:
        hints = props["scheduler_hints"]
        return {"volume": body, **({"OS-SCH-HNT:scheduler_hints": hints} if hints else {})}

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        plain = ("size", "description", "availability_zone", "volume_type")
        sources = {
            "imageRef": ("glance.image", props["image"]),
            "snapshot_id": ("cinder.snapshot", props["snapshot_id"]),
            "source_volid": ("cinder.volume", props["source_volid"]),
        }
        cloud = await ctx.cloud()
        return {
            "name": cls.name_for(ctx, props),
            **some(props, plain),
            **{
                member: await id_for(cloud, kind, named) for member, (kind, named) in sources.items() if named
            },
            **({"metadata": texts(props["metadata"])} if props["metadata"] else {}),
        }

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        await super().furnish(ctx, cloud, props)
        if props["read_only"] is not None:
            await set_read_only(ctx, cloud, props["read_only"])

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        given = {"name": cls.name_for(ctx, props), "description": props["description"]}
        return {name: value for name, value in given.items() if name in changed}

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "metadata" in changed:
            metadata = {"metadata": texts(props["metadata"] or {})}
            await cls.tell(ctx, cloud, "PUT", "metadata", body=metadata)
        await refit(ctx, cloud, props, changed)

    @classmethod
    async def snapshot(cls, ctx: Context) -> dict[str, Any]:
        return {"backup_id": await back_up(ctx, await ctx.cloud())}

    @classmethod
    def restored(cls, props: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        """The data of the snapshot is written over what is on the volume."""
        return {**props, "backup_id": kept["backup_id"]}

    @classmethod
    def live_properties(cls, ctx: Context, shown: Object) -> Object:
        """Without the type, which may be named otherwise."""
        live = super().live_properties(ctx, shown)
        return {name: live[name] for name in ("name", "description", "size") if name in live}

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        shown = ctx.data.get(SHOWN)
        if name == "show" or shown is None:
            return shown
        match name:
            case "metadata":
                return json.dumps(shown.get("metadata"))
            case "metadata_values":
                return shown.get("metadata")
            case "attachments_list":
                return shown.get("attachments")
            case "multiattach":
                return shown.get("multiattach")
        value = shown.get(name.removeprefix("display_"))
        return None if value is None else str(value)
