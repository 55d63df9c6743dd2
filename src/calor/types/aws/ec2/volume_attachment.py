from calor.language.constraints import custom, pattern
from calor.language.schema import Property, ResourceType


class VolumeAttachment(ResourceType):
    """Attaches a volume to a server, and detaches it when deleted.

    None of its properties can be changed later: use another attachment instead.
    """

    type_name = "AWS::EC2::VolumeAttachment"
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
            "The device that is asked for. The hypervisor may choose another: inside the server, a name "
            "below /dev/disk/by-id that ends in the beginning of the volume's id is a safer choice.",
            required=True,
            immutable=True,
            constraints=[pattern("/dev/vd[b-z]")],
        ),
    }
