"""Volumes: create, list, show, update, delete."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import identifier, mapping, nullable, truth
from calor.localcloud.types import Json
from calor.localcloud.volume import attaching
from calor.localcloud.volume.creation import VolumeSpec, new_volume, remove_volume
from calor.localcloud.volume.groups import group_for_volume
from calor.localcloud.volume.lists import Listing
from calor.localcloud.volume.metadata import Metadata
from calor.localcloud.volume.records import Volume
from calor.localcloud.volume.requests import NAMES, amount, flag, read_names, strict, texts
from calor.localcloud.volume.routes import VolumeRoute, microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import brief_volume, show_changed_volume, show_volume, show_volumes
from calor.localcloud.web import Call, Reply

_NEW = strict(
    optional={
        **NAMES,
        "size": nullable(amount(1)),
        "volume_type": nullable(identifier),
        "availability_zone": nullable(identifier),
        "metadata": nullable(texts),
        "imageRef": nullable(identifier),
        "image_id": nullable(identifier),
        "snapshot_id": nullable(identifier),
        "source_volid": nullable(identifier),
        "backup_id": nullable(identifier),
        "group_id": nullable(identifier),
        "consistencygroup_id": nullable(identifier),
        "multiattach": nullable(flag),
        # Some clients send back what they have received.
        "status": nullable(identifier),
        "attach_status": nullable(identifier),
        "user_id": nullable(identifier),
        "project_id": nullable(identifier),
    }
)
_BODY = strict(
    {"volume": _NEW}, {"OS-SCH-HNT:scheduler_hints": nullable(mapping), "scheduler_hints": nullable(mapping)}
)
_CHANGE = strict(optional={**NAMES, "metadata": texts})
_DELETABLE = ("available", "error", "error_restoring", "error_extending", "error_deleting", "error_managing")
_FROM_BACKUPS = 47
"""The first microversion that can create volumes from backups."""

_LISTING = Listing(
    "volumes",
    lambda service: service.records.volumes,
    (
        "id",
        "name",
        "status",
        "availability_zone",
        "bootable",
        "size",
        "metadata",
        "user_id",
        "snapshot_id",
        "group_id",
    ),
    show_volumes,
    brief_volume,
)


def create_volume(service: VolumeService, call: Call) -> Reply:
    given = call.read(_BODY)["volume"]
    if given.get("backup_id") and microversion(call) < _FROM_BACKUPS:
        raise BadRequest("Volumes can be created from backups since microversion 3.47.")
    if given.get("consistencygroup_id"):
        raise NotFound(f"ConsistencyGroup {given['consistencygroup_id']} could not be found.")
    if group_id := given.get("group_id"):
        if not given.get("volume_type"):
            raise BadRequest("volume_type must be provided when creating a volume in a group.")
        volume_type = service.type_named(call.caller, given["volume_type"])
        group_for_volume(service, call, group_id, volume_type.id)
    wanted = VolumeSpec(
        size=given.get("size"),
        image_id=given.get("imageRef") or given.get("image_id"),
        snapshot_id=given.get("snapshot_id"),
        source_volid=given.get("source_volid"),
        backup_id=given.get("backup_id"),
        volume_type=given.get("volume_type"),
        availability_zone=given.get("availability_zone"),
        multiattach=bool(given.get("multiattach")),
        group_id=group_id,
        metadata=given.get("metadata") or {},
        **read_names(given),
    )
    volume = new_volume(service, call.caller, wanted)
    return Reply(202, {"volume": show_changed_volume(service, call, volume)})


def get_volume(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"volume": show_volume(service, call, _volume(service, call))})


def update_volume(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("volume", _CHANGE)
    if not given:
        raise BadRequest("The request contains no changes.")
    changes = read_names(given)
    if "metadata" in given:
        changes["metadata"] = given["metadata"]
    volume = service.save(replace(_volume(service, call), **changes))
    return Reply(body={"volume": show_changed_volume(service, call, volume)})


def delete_volume(service: VolumeService, call: Call) -> Reply:
    volume = _volume(service, call)
    forced = microversion(call) >= 23 and truth(call.query.get("force", "false")) and call.caller.is_admin
    snapshots = service.records.snapshots.find(volume_id=volume.id)
    cascade = truth(call.query.get("cascade", "false"))
    if not forced and (volume.status not in _DELETABLE or volume.group_id is not None):
        raise BadRequest(
            "Invalid volume: Volume status must be available or error or error_restoring or error_extending or"
            " error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a"
            " transfer, or be disassociated from snapshots after volume transfer."
        )
    if not forced:
        attaching.check_unattached(service, volume)
    if snapshots and not cascade:
        raise BadRequest(
            f"Invalid volume: Volume {volume.id} still has {len(snapshots)} dependent snapshots."
        )
    with service.records.store.transaction():
        for snapshot in snapshots:
            service.transitions.of_snapshot(
                service.records.snapshots.put(replace(snapshot, status="deleting"))
            )
        remove_volume(service, volume)
    return Reply(202)


def summary(service: VolumeService, call: Call) -> Reply:
    everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
    found = service.records.volumes.find(**({} if everyone else {"project_id": call.caller.project_id}))
    result: Json = {
        "total_count": len(found),
        "total_size": sum(volume.size for volume in found),
    }
    if microversion(call) >= 36:
        metadata: dict[str, set[str]] = {}
        for volume in found:
            for name, value in volume.metadata.items():
                metadata.setdefault(name, set()).add(value)
        result["metadata"] = {name: sorted(values) for name, values in metadata.items()}
    return Reply(body={"volume-summary": result})


def _volume(service: VolumeService, call: Call) -> Volume:
    return service.volume(call.caller, call.path["volume_id"])


_ONE = "/volumes/{volume_id}"

ROUTES = (
    VolumeRoute("GET", "/volumes", _LISTING.brief_list, readers),
    VolumeRoute("POST", "/volumes", create_volume, writers),
    VolumeRoute("GET", "/volumes/detail", _LISTING.detailed_list, readers),
    VolumeRoute("GET", "/volumes/summary", summary, readers, since=12),
    VolumeRoute("GET", _ONE, get_volume, readers),
    VolumeRoute("PUT", _ONE, update_volume, writers),
    VolumeRoute("DELETE", _ONE, delete_volume, writers),
    *Metadata(_volume, VolumeService.save).routes(_ONE),
)
