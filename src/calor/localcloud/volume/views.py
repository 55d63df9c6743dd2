"""Records as the volume service shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calor.localcloud.types import Json
from calor.localcloud.volume.records import (
    Attachment,
    Backup,
    QosSpecs,
    Snapshot,
    Transfer,
    Volume,
    VolumeType,
)
from calor.localcloud.volume.routes import microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call

Shown = Json

HOST = "cloud@lvmdriver-1"
POOL = f"{HOST}#lvmdriver-1"


def links(call: Call, plural: str, identifier: str) -> list[Shown]:
    tail = f"{call.path['project_id']}/{plural}/{identifier}"
    return [
        {"rel": "self", "href": f"{call.base}/v3/{tail}"},
        {"rel": "bookmark", "href": f"{call.base}/{tail}"},
    ]


def show_volumes(service: VolumeService, call: Call, volumes: Sequence[Volume]) -> list[Shown]:
    plain = _plain_volumes(service, call, volumes)
    return [{**shown, **_extensions(call, volume)} for shown, volume in zip(plain, volumes, strict=True)]


def show_volume(service: VolumeService, call: Call, volume: Volume) -> Shown:
    return show_volumes(service, call, [volume])[0]


def show_changed_volume(service: VolumeService, call: Call, volume: Volume) -> Shown:
    """The response to create and update requests: without attributes of extensions."""
    return _plain_volumes(service, call, [volume])[0]


def _plain_volumes(service: VolumeService, call: Call, volumes: Sequence[Volume]) -> list[Shown]:
    """Looks attachments and types up once for all volumes."""
    attachments: dict[str, list[Attachment]] = {}
    for attachment in service.records.attachments.find_in("volume_id", [volume.id for volume in volumes]):
        attachments.setdefault(attachment.volume_id, []).append(attachment)
    used = list({volume.volume_type_id for volume in volumes})
    types = {each.id: each.name for each in service.records.types.find_in("id", used)}
    return [_volume(call, volume, attachments.get(volume.id, []), types) for volume in volumes]


def _extensions(call: Call, volume: Volume) -> Shown:
    shown: Shown = {"os-vol-tenant-attr:tenant_id": volume.project_id}
    if volume.image_metadata:
        shown["volume_image_metadata"] = dict(volume.image_metadata)
    if call.caller.is_admin:
        shown |= {
            "os-vol-host-attr:host": POOL,
            "os-vol-mig-status-attr:migstat": volume.migration_status,
            "os-vol-mig-status-attr:name_id": None,
        }
    return shown


def _volume(call: Call, volume: Volume, attachments: Sequence[Attachment], types: Mapping[str, str]) -> Shown:
    attached = [each for each in attachments if each.status in ("attached", "detaching")]
    shown: Shown = {
        "id": volume.id,
        "name": volume.name,
        "description": volume.description,
        "status": volume.status,
        "size": volume.size,
        "availability_zone": volume.availability_zone,
        "created_at": volume.created_at,
        "updated_at": volume.updated_at,
        "volume_type": types.get(volume.volume_type_id),
        "snapshot_id": volume.snapshot_id,
        "source_volid": volume.source_volid,
        "bootable": "true" if volume.bootable else "false",
        "encrypted": volume.encrypted,
        "multiattach": volume.multiattach,
        "consistencygroup_id": None,
        "replication_status": None,
        "user_id": volume.user_id,
        "metadata": {**volume.metadata, **_readonly(volume)},
        "attachments": [_in_volume(each) for each in attached],
        "links": links(call, "volumes", volume.id),
    }
    if call.caller.is_admin:
        shown["migration_status"] = volume.migration_status
    version = microversion(call)
    if version >= 13:
        shown["group_id"] = volume.group_id
    if version >= 21:
        shown["provider_id"] = None
    if version >= 48:
        shown |= {"service_uuid": None, "shared_targets": False}
    if version >= 61 and call.caller.is_admin:
        shown["cluster_name"] = None
    if version >= 63:
        shown["volume_type_id"] = volume.volume_type_id
    if version >= 65:
        shown["consumes_quota"] = True
    return shown


def _readonly(volume: Volume) -> dict[str, str]:
    """Shown in the metadata if it is set."""
    return {} if volume.readonly is None else {"readonly": str(volume.readonly)}


def _in_volume(attachment: Attachment) -> Shown:
    return {
        "id": attachment.volume_id,
        "attachment_id": attachment.id,
        "volume_id": attachment.volume_id,
        "server_id": attachment.server_id,
        "host_name": attachment.host_name,
        "device": attachment.device,
        "attached_at": attachment.attached_at,
    }


def brief_volume(call: Call, volume: Volume) -> Shown:
    return {"id": volume.id, "name": volume.name, "links": links(call, "volumes", volume.id)}


def show_attachment(attachment: Attachment) -> Shown:
    return {
        "id": attachment.id,
        "volume_id": attachment.volume_id,
        "instance": attachment.server_id,
        "status": attachment.status,
        "attach_mode": attachment.mode,
        "attached_at": attachment.attached_at or "",
        "detached_at": "",
        "connection_info": dict(attachment.connector or {}),
    }


def brief_snapshot(call: Call, snapshot: Snapshot) -> Shown:
    shown: Shown = {
        "id": snapshot.id,
        "name": snapshot.name,
        "description": snapshot.description,
        "volume_id": snapshot.volume_id,
        "status": snapshot.status,
        "size": snapshot.size,
        "metadata": dict(snapshot.metadata),
        "created_at": snapshot.created_at,
        "updated_at": snapshot.updated_at,
    }
    version = microversion(call)
    if version >= 14:
        shown["group_snapshot_id"] = snapshot.group_snapshot_id
    if version >= 41:
        shown["user_id"] = snapshot.user_id
    if version >= 65:
        shown["consumes_quota"] = True
    return shown


def show_snapshot(call: Call, snapshot: Snapshot) -> Shown:
    return {
        **brief_snapshot(call, snapshot),
        "os-extended-snapshot-attributes:progress": snapshot.progress,
        "os-extended-snapshot-attributes:project_id": snapshot.project_id,
    }


def brief_backup(call: Call, backup: Backup) -> Shown:
    return {"id": backup.id, "name": backup.name, "links": links(call, "backups", backup.id)}


def show_backup(call: Call, backup: Backup, has_dependents: bool) -> Shown:
    shown: Shown = {
        **brief_backup(call, backup),
        "description": backup.description,
        "volume_id": backup.volume_id,
        "snapshot_id": backup.snapshot_id,
        "status": backup.status,
        "size": backup.size,
        "object_count": 1 if backup.status == "available" else 0,
        "container": backup.container,
        "availability_zone": backup.availability_zone,
        "fail_reason": None,
        "is_incremental": backup.parent_id is not None,
        "has_dependent_backups": has_dependents,
        "created_at": backup.created_at,
        "updated_at": backup.updated_at,
        "data_timestamp": backup.created_at,
    }
    version = microversion(call)
    if version >= 18 and call.caller.is_admin:
        shown["os-backup-project-attr:project_id"] = backup.project_id
    if version >= 43:
        shown["metadata"] = dict(backup.metadata)
    if version >= 56:
        shown["user_id"] = backup.user_id
    return shown


def show_changed_type(volume_type: VolumeType) -> Shown:
    """The response to update requests."""
    return {
        "id": volume_type.id,
        "name": volume_type.name,
        "description": volume_type.description,
        "is_public": volume_type.is_public,
        "extra_specs": dict(volume_type.extra_specs),
    }


def show_new_type(volume_type: VolumeType) -> Shown:
    return {
        **show_changed_type(volume_type),
        "os-volume-type-access:is_public": volume_type.is_public,
    }


def show_type(call: Call, volume_type: VolumeType) -> Shown:
    shown = show_new_type(volume_type)
    if call.caller.is_admin:
        shown["qos_specs_id"] = volume_type.qos_specs_id
    return shown


def show_qos(qos: QosSpecs) -> Shown:
    return {"id": qos.id, "name": qos.name, "consumer": qos.consumer, "specs": dict(qos.specs)}


def brief_transfer(call: Call, transfer: Transfer) -> Shown:
    return {
        "id": transfer.id,
        "name": transfer.name,
        "volume_id": transfer.volume_id,
        "links": links(call, "os-volume-transfer", transfer.id),
    }


def show_transfer(call: Call, transfer: Transfer) -> Shown:
    shown = {**brief_transfer(call, transfer), "created_at": transfer.created_at}
    if microversion(call) >= 55:
        shown["no_snapshots"] = transfer.no_snapshots
    return shown
