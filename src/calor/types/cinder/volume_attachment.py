from calor.language.constraints import custom
from calor.language.schema import Property
from calor.types.cinder.base import CinderType


class VolumeAttachment(CinderType):
    type_name = "OS::Cinder::VolumeAttachment"
    properties = {
        "instance_uuid": Property(str, required=True, update_allowed=True),
        "volume_id": Property(str, required=True, update_allowed=True, constraints=[custom("cinder.volume")]),
        "mountpoint": Property(str, update_allowed=True),
    }
