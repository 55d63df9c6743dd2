from calor.language.constraints import custom, range_
from calor.language.schema import Property, ResourceType
from calor.types.aws.common import KEY_VALUE


class Volume(ResourceType):
    type_name = "AWS::EC2::Volume"
    service = "cinder"
    snapshots_on_delete = True
    properties = {
        "AvailabilityZone": Property(str, required=True, immutable=True),
        "Size": Property(int, immutable=True, constraints=[range_(min=1)]),
        "SnapshotId": Property(str, immutable=True, constraints=[custom("cinder.backup")]),
        "Tags": Property(list, immutable=True, items=Property(dict, fields=KEY_VALUE)),
    }
