"""Shapes and rules that several AWS types share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.constraints import custom
from calor.language.schema import Problem, Property
from calor.language.values import Unknown, bare
from calor.resources.values import Properties

KEY_VALUE = {
    "Key": Property(str, required=True),
    "Value": Property(str, required=True),
}

UNIMPLEMENTED_TAGS = Property(list, items=Property(dict, implemented=False, fields=KEY_VALUE))

BLOCK_DEVICE = Property(
    dict,
    fields={
        "DeviceName": Property(
            str, "The device under which the instance sees the disk, such as `vdb`.", required=True
        ),
        "Ebs": Property(
            dict,
            "The volume behind the device. Required, as no other kind of disk is supported.",
            fields={
                "DeleteOnTermination": Property(
                    bool, "Whether the volume is deleted with the instance.", default=True
                ),
                "Iops": Property(float, implemented=False),
                "SnapshotId": Property(
                    str,
                    "The volume snapshot for the volume. Required.",
                    constraints=[custom("cinder.snapshot")],
                ),
                "VolumeSize": Property(str, "GB. By default, the volume is as large as the snapshot's was."),
                "VolumeType": Property(str, implemented=False),
            },
        ),
        "NoDevice": Property(dict, implemented=False),
        "VirtualName": Property(str, implemented=False),
    },
)

ROLLING_UPDATE = Property(
    dict,
    "How instances are replaced when the launch configuration changes. By default they are kept, and only"
    " new instances use it.",
    fields={
        "MinInstancesInService": Property(
            int,
            "How many instances must stay untouched while a batch is being replaced. To keep them, the "
            "group may grow past its size for a while.",
            default=0,
        ),
        "MaxBatchSize": Property(int, "How many instances may be replaced at the same time.", default=1),
        "PauseTime": Property(
            str,
            "The rest between one batch and the next, as an ISO 8601 duration such as `PT5M`; at most one "
            "hour.",
            default="PT0S",
        ),
    },
)


def is_given(value: object) -> bool:
    """In CloudFormation's types an empty value means none. An unknown value is judged by its stand-in: the name of the
    resource for a reference, an empty value for an attribute."""
    return bool(bare(value))


def may_be_given(value: object) -> bool:
    return isinstance(value, Unknown) or is_given(value)


@dataclass(frozen=True, slots=True)
class EitherOr:
    """Exactly one of two properties is given, and not empty."""

    one: str
    other: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        values = given.get(self.one), given.get(self.other)
        if all(map(is_given, values)):
            yield Problem("StackValidationFailed", f"{self.one} and {self.other} are mutually exclusive")
        elif not any(map(may_be_given, values)):
            yield Problem("StackValidationFailed", f"either {self.one} or {self.other} must be given")


@dataclass(frozen=True, slots=True)
class SnapshotForEachDevice:
    """Block devices can only be created from volume snapshots."""

    name: str = "BlockDeviceMappings"

    def problems(self, given: Properties) -> Iterator[Problem]:
        mappings = given.get(self.name)
        for index, mapping in enumerate(mappings if isinstance(mappings, list) else ()):
            ebs = mapping.get("Ebs") if isinstance(mapping, dict) else None
            if isinstance(mapping, dict) and not may_be_given(ebs):
                yield Problem("StackValidationFailed", "a device needs Ebs", (self.name, index))
            elif isinstance(ebs, dict) and not may_be_given(ebs.get("SnapshotId")):
                yield Problem("StackValidationFailed", "Ebs needs a SnapshotId", (self.name, index, "Ebs"))
