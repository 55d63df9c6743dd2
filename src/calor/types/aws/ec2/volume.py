from __future__ import annotations

from calor.language.constraints import custom, range_
from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.aws.common import KEY_VALUE
from calor.types.cinder.volume.volume_base import VolumeObject
from calor.types.cloud_objects import Object


class Volume(VolumeObject):
    """A block storage volume.

    Attach it with an AWS::EC2::VolumeAttachment or the Volumes of an instance. None of its properties can be
    changed later; OS::Cinder::Volume can at least grow. With the deletion policy Snapshot a backup stays
    behind.
    """

    type_name = "AWS::EC2::Volume"
    properties = {
        "AvailabilityZone": Property(
            str,
            "The zone of the volume. It should be one that the server's zone can attach from.",
            required=True,
            immutable=True,
        ),
        "Size": Property(
            int, "GB. With SnapshotId it may be left out.", immutable=True, constraints=[range_(min=1)]
        ),
        "SnapshotId": Property(
            str,
            "The id of a volume backup, not of a snapshot, to restore into the volume. By default, the volume "
            "is empty.",
            immutable=True,
            constraints=[custom("cinder.backup")],
        ),
        "Tags": Property(
            list,
            "Kept as the volume's metadata.",
            immutable=True,
            items=Property(dict, fields=KEY_VALUE),
        ),
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        tags = {tag["Key"]: tag["Value"] for tag in props.get("Tags") or ()}
        return {
            "name": ctx.physical_name(),
            "availability_zone": props["AvailabilityZone"],
            **({"size": props["Size"]} if props.get("Size") else {}),
            **({"metadata": tags} if tags else {}),
        }

    @classmethod
    def backup_of(cls, props: Properties) -> str | None:
        return props.get("SnapshotId")
