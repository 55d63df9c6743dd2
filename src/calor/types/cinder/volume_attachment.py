from calor.language.constraints import custom
from calor.language.schema import Property
from calor.types.cinder.base import CinderType


class VolumeAttachment(CinderType):
    """Attaches a volume to a server, as a further disk of it.

    For a disk to start the server from, name the volume in the server's block_device_mapping_v2 instead.
    """

    type_name = "OS::Cinder::VolumeAttachment"
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
