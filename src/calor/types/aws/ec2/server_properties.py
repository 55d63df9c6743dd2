"""Instances as CloudFormation describes them, in the words of OS::Nova::Server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cloud_objects import Object
from calor.types.nova.server.server import Server

CHANGES: Mapping[str, str] = {
    "InstanceType": "flavor",
    "Tags": "metadata",
    "NetworkInterfaces": "networks",
    "SubnetId": "networks",
}
"""What a change of a property changes of a server."""


def server_properties(props: Properties) -> JsonObject:
    networks = _networks(props)
    groups = [*(props.get("SecurityGroups") or ()), *(props.get("SecurityGroupIds") or ())]
    given = {
        "image": props["ImageId"],
        "flavor": props["InstanceType"],
        "key_name": props.get("KeyName"),
        "availability_zone": props.get("AvailabilityZone"),
        "security_groups": [] if props.get("NetworkInterfaces") else groups,
        "networks": networks,
        "metadata": {tag["Key"]: tag["Value"] for tag in props.get("Tags") or ()},
        "scheduler_hints": _hints(props.get("NovaSchedulerHints") or ()),
        "user_data_format": "HEAT_CFNTOOLS",
        "user_data": props.get("UserData") or "",
        "block_device_mapping": [_disk(disk) for disk in props.get("BlockDeviceMappings") or ()],
    }
    return {**{name: declared.default for name, declared in Server.properties.items()}, **given}


def _networks(props: Properties) -> list[Object]:
    """Interfaces are in the order of their device indices, where they have such."""
    interfaces = props.get("NetworkInterfaces") or ()
    numbered = [
        (int(one.get("DeviceIndex") or position), one["NetworkInterfaceId"])
        if isinstance(one, Mapping)
        else (position, one)
        for position, one in enumerate(interfaces)
    ]
    if numbered:
        return [{"port": port} for _, port in sorted(numbered, key=lambda pair: pair[0])]
    return [{"subnet": props["SubnetId"]}] if props.get("SubnetId") else []


def _hints(given: Any) -> JsonObject:
    """A key that occurs several times has a list."""
    found: JsonObject = {}
    for hint in given:
        key, value = hint["Key"], hint["Value"]
        if key in found:
            before = found[key] if isinstance(found[key], list) else [found[key]]
            found[key] = [*before, value]
        else:
            found[key] = value
    return found


def _disk(disk: JsonMapping) -> Object:
    ebs = disk["Ebs"]
    return {
        "device_name": disk["DeviceName"],
        "snapshot_id": ebs["SnapshotId"],
        "volume_size": int(ebs["VolumeSize"]) if ebs.get("VolumeSize") else None,
        "delete_on_termination": ebs.get("DeleteOnTermination"),
    }
