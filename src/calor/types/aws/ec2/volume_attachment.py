from calor.language.constraints import custom, pattern
from calor.language.schema import Property, ResourceType


class VolumeAttachment(ResourceType):
    type_name = "AWS::EC2::VolumeAttachment"
    service = "cinder"
    properties = {
        "InstanceId": Property(str, required=True, immutable=True, constraints=[custom("nova.server")]),
        "VolumeId": Property(str, required=True, immutable=True, constraints=[custom("cinder.volume")]),
        "Device": Property(str, required=True, immutable=True, constraints=[pattern("/dev/vd[b-z]")]),
    }
