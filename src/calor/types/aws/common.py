"""Shapes that several AWS types share."""

from calor.language.constraints import custom
from calor.language.schema import Property

KEY_VALUE = {
    "Key": Property(str, required=True),
    "Value": Property(str, required=True),
}

UNIMPLEMENTED_TAGS = Property(list, items=Property(dict, implemented=False, fields=KEY_VALUE))

BLOCK_DEVICE = Property(
    dict,
    fields={
        "DeviceName": Property(str, required=True),
        "Ebs": Property(
            dict,
            fields={
                "DeleteOnTermination": Property(bool, default=True),
                "Iops": Property(float, implemented=False),
                "SnapshotId": Property(str, constraints=[custom("cinder.snapshot")]),
                "VolumeSize": Property(str),
                "VolumeType": Property(str, implemented=False),
            },
        ),
        "NoDevice": Property(dict, implemented=False),
        "VirtualName": Property(str, implemented=False),
    },
)

ROLLING_UPDATE = Property(
    dict,
    fields={
        "MinInstancesInService": Property(int, default=0),
        "MaxBatchSize": Property(int, default=1),
        "PauseTime": Property(str, default="PT0S"),
    },
)
