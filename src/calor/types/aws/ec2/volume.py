from calor.language.constraints import custom, range_
from calor.language.schema import Property, ResourceType
from calor.types.aws.common import KEY_VALUE


class Volume(ResourceType):
    """A block storage volume.

    Attach it with an AWS::EC2::VolumeAttachment or the Volumes of an instance. None of its properties can be
    changed later; OS::Cinder::Volume can at least grow. With the deletion policy Snapshot a backup stays
    behind.
    """

    type_name = "AWS::EC2::Volume"
    service = "cinder"
    snapshots_on_delete = True
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
            "The id of a volume backup, not of a snapshot, to restore into the volume. Left out, the volume "
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
