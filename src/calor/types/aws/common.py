"""Shapes and rules that several AWS types share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Problem, Property
from calor.language.values import Unknown, bare

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
                    bool, "Whether the volume goes when the instance does.", default=True
                ),
                "Iops": Property(float, implemented=False),
                "SnapshotId": Property(
                    str,
                    "The volume snapshot to make the volume from. Required.",
                    constraints=[custom("cinder.snapshot")],
                ),
                "VolumeSize": Property(str, "GB. Left out, the volume is as large as the snapshot's was."),
                "VolumeType": Property(str, implemented=False),
            },
        ),
        "NoDevice": Property(dict, implemented=False),
        "VirtualName": Property(str, implemented=False),
    },
)

ROLLING_UPDATE = Property(
    dict,
    "How instances are replaced when the launch configuration changes. Left out, they stay as they are, and "
    "only new ones follow it.",
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


def surely_given(value: Any) -> bool:
    """CloudFormation's types take an empty value for none. What is only known later counts by what stands in
    for it: the name that a reference gives, or nothing for an attribute."""
    return bool(bare(value))


def maybe_given(value: Any) -> bool:
    return isinstance(value, Unknown) or surely_given(value)


@dataclass(frozen=True, slots=True)
class EitherOr:
    """Exactly one of two properties is given, and not empty."""

    one: str
    other: str

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        values = given.get(self.one), given.get(self.other)
        if all(map(surely_given, values)):
            yield Problem("StackValidationFailed", f"{self.one} and {self.other} exclude each other")
        elif not any(map(maybe_given, values)):
            yield Problem("StackValidationFailed", f"either {self.one} or {self.other} must be given")


@dataclass(frozen=True, slots=True)
class SnapshotForEachDevice:
    """Block devices come from volume snapshots only."""

    name: str = "BlockDeviceMappings"

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        mappings = given.get(self.name)
        for index, mapping in enumerate(mappings if isinstance(mappings, list) else ()):
            ebs = mapping.get("Ebs") if isinstance(mapping, dict) else None
            if isinstance(mapping, dict) and not maybe_given(ebs):
                yield Problem("StackValidationFailed", "a device needs Ebs", (self.name, index))
            elif isinstance(ebs, dict) and not maybe_given(ebs.get("SnapshotId")):
                yield Problem("StackValidationFailed", "Ebs needs a SnapshotId", (self.name, index, "Ebs"))
