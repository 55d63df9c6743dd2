"""Backups of volumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import identifier, nullable, text
from calor.localcloud.types import Json
from calor.localcloud.volume.creation import VolumeSpec, new_volume
from calor.localcloud.volume.lists import Listing
from calor.localcloud.volume.quotas import reserve
from calor.localcloud.volume.records import Backup, Volume
from calor.localcloud.volume.requests import display_text, flag, read_action, strict, texts
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import brief_backup, show_backup
from calor.localcloud.web import Call, Reply

_NEW = strict(
    {"volume_id": identifier},
    {
        "name": display_text,
        "description": display_text,
        "container": nullable(text(255)),
        "incremental": nullable(flag),
        "force": nullable(flag),
        "snapshot_id": nullable(identifier),
        "metadata": nullable(texts),
        "availability_zone": nullable(text(255)),
    },
)
_CHANGE = strict(optional={"name": display_text, "description": display_text, "metadata": texts})
_RESTORE = strict(optional={"volume_id": nullable(identifier), "name": display_text})
_STATUS = strict({"status": text(255, shortest=1)})


def _show_all(service: VolumeService, call: Call, found: Sequence[Backup]) -> list[Json]:
    dependents = service.records.backups.find_in("parent_id", [backup.id for backup in found])
    parents = {each.parent_id for each in dependents}
    return [show_backup(call, backup, backup.id in parents) for backup in found]


_LISTING = Listing(
    "backups",
    lambda service: service.records.backups,
    ("id", "name", "status", "volume_id", "metadata"),
    _show_all,
    brief_backup,
)


def create_backup(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("backup", _NEW)
    volume = service.volume(call.caller, given["volume_id"])
    from_snapshot = given.get("snapshot_id")
    if from_snapshot:
        snapshot = service.snapshot(call.caller, from_snapshot)
        if snapshot.volume_id != volume.id or snapshot.status != "available":
            raise BadRequest(f"Invalid snapshot: {snapshot.id} must be an available one of {volume.id}.")
    elif volume.status != "available" and not (volume.status == "in-use" and given.get("force")):
        raise BadRequest(
            f"Invalid volume: Volume to be backed up must be available or in-use, but the current status is"
            f' "{volume.status}".'
        )
    backup = Backup(
        id=str(uuid4()),
        project_id=volume.project_id,
        user_id=call.caller.user_id,
        volume_id=volume.id,
        size=volume.size,
        availability_zone=volume.availability_zone,
        created_at=service.stamp(),
        name=given.get("name"),
        description=given.get("description"),
        container=given.get("container") or "volumebackups",
        snapshot_id=from_snapshot,
        parent_id=_parent(service, volume) if given.get("incremental") else None,
        task={"then": volume.status},
        metadata=given.get("metadata") or {},
        origin={
            "metadata": volume.metadata,
            "image_metadata": volume.image_metadata,
            "image_id": volume.image_id,
            "bootable": volume.bootable,
        },
    )
    with service.records.store.transaction():
        reserve(service.records, volume.project_id, None, backups=1, backup_gigabytes=volume.size)
        service.records.backups.add(backup)
        if not from_snapshot:
            service.save(replace(volume, status="backing-up"))
    service.transitions.of_backup(backup)
    return Reply(202, {"backup": brief_backup(call, backup)})


def _parent(service: VolumeService, volume: Volume) -> str:
    """The last backup of the volume in its project, from which an incremental one starts."""
    earlier = service.records.backups.find(
        volume_id=volume.id, project_id=volume.project_id, status="available"
    )
    if not earlier:
        raise BadRequest("Invalid backup: No backups available to do an incremental backup.")
    return earlier[-1].id


def get_backup(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"backup": _show_all(service, call, [_backup(service, call)])[0]})


def update_backup(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("backup", _CHANGE)
    if not given:
        raise BadRequest("The request contains no changes.")
    changed = _save(service, replace(_backup(service, call), **given))
    return Reply(body={"backup": brief_backup(call, changed)})


def delete_backup(service: VolumeService, call: Call) -> Reply:
    backup = _backup(service, call)
    if backup.status not in ("available", "error", "error_deleting"):
        raise BadRequest("Invalid backup: Backup status must be available or error")
    if service.records.backups.first(parent_id=backup.id):
        raise BadRequest("Invalid backup: Incremental backups exist for this backup.")
    return _remove(service, backup)


def restore_backup(service: VolumeService, call: Call) -> Reply:
    """Restores to an existing volume, or to a new one."""
    given = call.read_in("restore", _RESTORE)
    backup = _backup(service, call)
    if backup.status != "available":
        raise BadRequest("Invalid backup: Backup status must be available")
    if given.get("volume_id"):
        volume = service.volume(call.caller, given["volume_id"])
        if volume.status != "available":
            raise BadRequest(
                "Invalid volume: Volume to be restored to must be available, but the current status is"
                f' "{volume.status}".'
            )
        if volume.size < backup.size:
            raise BadRequest(
                f"Invalid volume: volume size {volume.size} is too small to restore backup of size {backup.size}."
            )
    else:
        name = given.get("name") or f"restore_backup_{backup.id}"
        volume = new_volume(service, call.caller, VolumeSpec(size=backup.size, name=name))
    with service.records.store.transaction():
        service.save(replace(volume, status="restoring-backup", task={}))
        restoring = _save(service, replace(backup, status="restoring", task={"volume_id": volume.id}))
    service.transitions.of_backup(restoring)
    result = {"backup_id": backup.id, "volume_id": volume.id, "volume_name": volume.name}
    return Reply(202, {"restore": result})


def act(service: VolumeService, call: Call) -> Reply:
    backup = _backup(service, call)
    name, value = read_action(call)
    if name not in ("os-reset_status", "os-force_delete"):
        raise BadRequest(f"There is no such action: {name[:255]}")
    if not call.caller.is_admin:
        raise Forbidden(f"Policy doesn't allow backup:{name} to be performed.")
    if name == "os-force_delete":
        return _remove(service, backup)
    _save(service, replace(backup, status=_STATUS(value, name)["status"]))
    return Reply(202)


def _remove(service: VolumeService, backup: Backup) -> Reply:
    service.transitions.of_backup(_save(service, replace(backup, status="deleting")))
    return Reply(202)


def _backup(service: VolumeService, call: Call) -> Backup:
    return service.backup(call.caller, call.path["backup_id"])


def _save(service: VolumeService, backup: Backup) -> Backup:
    return service.records.backups.put(replace(backup, updated_at=service.stamp()))


_ONE = "/backups/{backup_id}"

ROUTES = (
    VolumeRoute("GET", "/backups", _LISTING.brief_list, readers),
    VolumeRoute("POST", "/backups", create_backup, writers),
    VolumeRoute("GET", "/backups/detail", _LISTING.detailed_list, readers),
    VolumeRoute("GET", _ONE, get_backup, readers),
    VolumeRoute("PUT", _ONE, update_backup, writers, since=9),
    VolumeRoute("DELETE", _ONE, delete_backup, writers),
    VolumeRoute("POST", f"{_ONE}/restore", restore_backup, writers),
    VolumeRoute("POST", f"{_ONE}/action", act, writers),
)
