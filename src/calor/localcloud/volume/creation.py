"""Creates and removes volumes, for requests and other services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from calor.localcloud.caller import Caller
from calor.localcloud.peers import UsableImage
from calor.localcloud.problems import BadRequest
from calor.localcloud.volume.quotas import check_size, reserve
from calor.localcloud.volume.records import Backup, Volume, VolumeType
from calor.localcloud.volume.service import ZONE, VolumeService

_GIGABYTE = 1 << 30


@dataclass(frozen=True)
class VolumeSpec:
    size: int | None = None
    name: str | None = None
    description: str | None = None
    image_id: str | None = None
    snapshot_id: str | None = None
    source_volid: str | None = None
    backup_id: str | None = None
    volume_type: str | None = None
    availability_zone: str | None = None
    multiattach: bool = False
    group_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Origin:
    """What a new volume inherits from its source."""

    size: int = 0
    """The minimum size of the volume."""
    type_id: str | None = None
    bootable: bool = False
    image_id: str | None = None
    image_metadata: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None


def new_volume(service: VolumeService, caller: Caller, wanted: VolumeSpec) -> Volume:
    """Creates a volume, which becomes available later."""
    if caller.project_id is None:
        raise BadRequest("Volumes can be created in a project only.")
    _check_zone(wanted.availability_zone)
    origin = _origin(service, caller, wanted)
    size = wanted.size or origin.size
    if size < 1:
        raise BadRequest("Volume size must be specified and greater than 0.")
    if size < origin.size:
        raise BadRequest(f"Invalid volume size: {size}GB is less than the {origin.size}GB of its source.")
    kind = _type(service, caller, wanted, origin)
    check_size(service.records, caller.project_id, size)
    volume = Volume(
        id=str(uuid4()),
        project_id=caller.project_id,
        user_id=caller.user_id,
        size=size,
        volume_type_id=kind.id,
        group_id=wanted.group_id,
        availability_zone=wanted.availability_zone or ZONE,
        created_at=service.stamp(),
        name=wanted.name,
        description=wanted.description,
        task=_task(wanted, origin),
        snapshot_id=wanted.snapshot_id,
        source_volid=wanted.source_volid,
        image_id=origin.image_id,
        bootable=origin.bootable,
        encrypted=kind.encryption is not None,
        multiattach=wanted.multiattach or kind.extra_specs.get("multiattach", "").lower() == "<is> true",
        metadata=wanted.metadata or origin.metadata,
        image_metadata=origin.image_metadata,
    )
    with service.records.store.transaction():
        reserve(service.records, caller.project_id, kind, volumes=1, gigabytes=size)
        service.records.volumes.add(volume)
    service.transitions.of_volume(volume)
    return volume


def remove_volume(service: VolumeService, volume: Volume) -> None:
    """Removes a volume without further checks."""
    service.transitions.of_volume(service.save(replace(volume, status="deleting", task={})))


def _check_zone(zone: str | None) -> None:
    if zone not in (None, ZONE):
        raise BadRequest(f"Availability zone '{zone}' is invalid.")


def _type(service: VolumeService, caller: Caller, wanted: VolumeSpec, origin: _Origin) -> VolumeType:
    if wanted.volume_type:
        return service.type_named(caller, wanted.volume_type)
    kept = service.records.types.get(origin.type_id) if origin.type_id else None
    return kept or service.default_type(caller.project_id or "")


def _origin(service: VolumeService, caller: Caller, wanted: VolumeSpec) -> _Origin:
    sources = (wanted.image_id, wanted.snapshot_id, wanted.source_volid, wanted.backup_id)
    if sum(bool(each) for each in sources) > 1:
        raise BadRequest("A volume can have only one source: an image, a snapshot, a volume or a backup.")
    if wanted.image_id:
        return _from_image(service.images.need_image(caller, wanted.image_id), wanted.size)
    if wanted.snapshot_id:
        snapshot = service.snapshot(caller, wanted.snapshot_id)
        if snapshot.status != "available":
            raise BadRequest(f"Invalid snapshot: {snapshot.id} is {snapshot.status}.")
        source = service.records.volumes.get(snapshot.volume_id)
        origin = _from_volume(source) if source else _Origin()
        return replace(origin, size=snapshot.size)
    if wanted.source_volid:
        source = service.volume(caller, wanted.source_volid)
        if source.status not in ("available", "in-use"):
            raise BadRequest(f"Invalid source volume: {source.id} is {source.status}.")
        return _from_volume(source)
    if wanted.backup_id:
        return _from_backup(service.backup(caller, wanted.backup_id))
    return _Origin()


def _task(wanted: VolumeSpec, origin: _Origin) -> dict[str, str]:
    if wanted.backup_id:
        return {"backup_id": wanted.backup_id}
    return {"image_file": str(origin.file)} if origin.file else {}


def _from_backup(backup: Backup) -> _Origin:
    if backup.status != "available":
        raise BadRequest(f"Invalid backup: {backup.id} is {backup.status}.")
    known = backup.origin
    return _Origin(
        backup.size,
        bootable=bool(known.get("bootable")),
        image_id=known.get("image_id"),
        image_metadata=known.get("image_metadata") or {},
        metadata=known.get("metadata") or {},
    )


def _from_volume(volume: Volume) -> _Origin:
    return _Origin(
        volume.size,
        volume.volume_type_id,
        volume.bootable,
        volume.image_id,
        volume.image_metadata,
    )


def _from_image(image: UsableImage, size: int | None) -> _Origin:
    if image.status != "active":
        raise BadRequest(f"Invalid image: {image.id} is not active.")
    if size is not None and size < image.min_disk:
        raise BadRequest(
            f"Volume size {size}GB cannot be smaller than the image minDisk size {image.min_disk}GB."
        )
    known = {
        "image_id": image.id,
        "image_name": image.name,
        "checksum": image.checksum or "",
        "container_format": image.container_format,
        "disk_format": image.disk_format,
        "min_disk": str(image.min_disk),
        "min_ram": str(image.min_ram),
        "size": str(image.size),
    }
    properties = {name: str(value) for name, value in image.properties.items()}
    return _Origin(
        # The size is required: an image has only a minimum.
        size=-(-image.size // _GIGABYTE) if size is not None else 0,
        bootable=True,
        image_id=image.id,
        image_metadata={**properties, **known},
        file=image.file,
    )
