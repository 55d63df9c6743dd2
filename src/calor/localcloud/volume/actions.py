"""Volume actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from calor.localcloud.policy import writers
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import Reader, identifier, mapping, nullable, one_of, text
from calor.localcloud.types import Json
from calor.localcloud.volume import attaching
from calor.localcloud.volume.creation import remove_volume
from calor.localcloud.volume.quotas import check_size, reserve
from calor.localcloud.volume.records import Attachment, Volume
from calor.localcloud.volume.requests import amount, flag, read_action, strict, texts
from calor.localcloud.volume.routes import VolumeRoute, microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply

Given = Mapping[str, Any]

_ACCEPTED = Reply(202)


def _anything_or_nothing(value: object, where: str) -> Json:
    return mapping(value, where) if value else {}


def _extend(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    allowed = ("available", "in-use") if microversion(call) >= 42 else ("available",)
    if volume.status not in allowed:
        raise BadRequest(
            f"Invalid volume: Volume status must be {' or '.join(allowed)} to extend, but it is {volume.status}."
        )
    size = given["new_size"]
    if size <= volume.size:
        raise BadRequest(
            f"Invalid input received: New size for extend must be greater than current size. (current:"
            f" {volume.size}, extended: {size})."
        )
    check_size(service.records, volume.project_id, size)
    kind = service.records.types.get(volume.volume_type_id)
    with service.records.store.transaction():
        reserve(service.records, volume.project_id, kind, gigabytes=size - volume.size)
        extending = service.save(
            replace(volume, status="extending", task={"size": size, "then": volume.status})
        )
    service.transitions.of_volume(extending)
    return _ACCEPTED


def _retype(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status not in ("available", "in-use"):
        raise BadRequest(f"Invalid volume: a volume that is {volume.status} cannot be retyped.")
    kind = service.type_named(call.caller, given["new_type"])
    if kind.id == volume.volume_type_id:
        raise BadRequest("Invalid input received: New volume_type same as original.")
    task = {"type_id": kind.id, "then": volume.status}
    service.transitions.of_volume(service.save(replace(volume, status="retyping", task=task)))
    return _ACCEPTED


def _reset(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if not given:
        raise BadRequest("Must specify 'status', 'attach_status' or 'migration_status' for update.")
    changes = {name: value for name, value in given.items() if name != "attach_status"}
    if given.get("attach_status") == "detached":
        service.records.attachments.remove_where(volume_id=volume.id)
    service.save(replace(volume, **changes, task={}))
    return _ACCEPTED


def _set_bootable(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    service.save(replace(volume, bootable=given["bootable"]))
    return Reply(200)


def _set_readonly(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status != "available":
        raise BadRequest(
            f"Invalid volume: it must be available to be made read-only, but is {volume.status}."
        )
    service.save(replace(volume, readonly=given["readonly"]))
    return _ACCEPTED


def _force_delete(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    remove_volume(service, volume)
    return _ACCEPTED


def _reserve(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    attaching.check_attachable(volume)
    service.save(replace(volume, status="attaching"))
    return _ACCEPTED


def _unreserve(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status == "attaching":
        attaching.settle(service, volume)
    return _ACCEPTED


def _attach(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    allowed = ("available", "attaching", "reserved", *(("in-use",) if volume.multiattach else ()))
    if volume.status not in allowed:
        raise BadRequest(f"Invalid volume: a volume that is {volume.status} cannot be attached.")
    attaching.check_unclaimed(service, volume)
    server, host = given.get("instance_uuid"), given.get("host_name")
    if not server and not host:
        raise BadRequest("Invalid request to attach volume to an invalid target")
    attaching.complete(
        service,
        volume,
        Attachment(
            id=str(uuid4()),
            volume_id=volume.id,
            project_id=volume.project_id,
            status="attaching",
            server_id=server,
            host_name=host,
            device=given["mountpoint"],
            mode=given.get("mode", "rw"),
        ),
    )
    return _ACCEPTED


def _begin_detaching(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status != "in-use":
        raise BadRequest(
            f"Invalid volume: Unable to detach volume. Volume status must be 'in-use' and attach_status must be"
            f" 'attached' to detach, but it is {volume.status}."
        )
    service.save(replace(volume, status="detaching"))
    return _ACCEPTED


def _roll_detaching(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status == "detaching":
        service.save(replace(volume, status="in-use"))
    return _ACCEPTED


def _detach(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status not in ("in-use", "detaching"):
        raise BadRequest(f"Invalid volume: a volume that is {volume.status} cannot be detached.")
    selected = _selected_attachments(service, volume, given)
    for attachment in selected:
        attaching.check_detachable(attachment)
    return _remove_attachments(service, volume, selected)


def _force_detach(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    return _remove_attachments(service, volume, _selected_attachments(service, volume, given))


def _selected_attachments(service: VolumeService, volume: Volume, given: Given) -> list[Attachment]:
    """The attachments of a request."""
    attached = service.records.attachments.find(volume_id=volume.id)
    chosen = given.get("attachment_id")
    if chosen is None and len(attached) > 1:
        raise BadRequest(
            "Invalid volume: Detach volume failed: More than one attachment, but no attachment_id provided."
        )
    selected = [each for each in attached if chosen in (None, each.id)]
    if chosen and not selected:
        raise NotFound(f"Volume attachment {chosen} could not be found.")
    return selected


def _remove_attachments(service: VolumeService, volume: Volume, selected: list[Attachment]) -> Reply:
    with service.records.store.transaction():
        for attachment in selected:
            service.records.attachments.remove(attachment.id)
        # In any state, since admins can reset it.
        attaching.settle(service, replace(volume, status="detaching"))
    return _ACCEPTED


def _connect(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    data = {"volume_id": volume.id, "access_mode": "ro" if volume.readonly else "rw"}
    return Reply(body={"connection_info": {"driver_volume_type": "local", "data": data}})


def _disconnect(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    return _ACCEPTED


def _upload(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if volume.status != "available" and not (volume.status == "in-use" and given.get("force")):
        raise BadRequest(f"Invalid volume: it must be available to be uploaded, but is {volume.status}.")
    formats = {
        "container_format": given.get("container_format", "bare"),
        "disk_format": given.get("disk_format", "raw"),
    }
    image_id = service.images.create_image(
        call.caller,
        given["image_name"],
        {name: value for name, value in volume.image_metadata.items() if name not in _OF_THE_IMAGE},
        visibility=given.get("visibility", "private"),
        protected=given.get("protected", False),
        **formats,
    )
    uploading = service.save(
        replace(volume, status="uploading", task={"image_id": image_id, "then": volume.status})
    )
    service.transitions.of_volume(uploading)
    kind = service.records.types.get(volume.volume_type_id)
    result = {
        "id": volume.id,
        "status": "uploading",
        "size": volume.size,
        "display_description": volume.description,
        "updated_at": uploading.updated_at,
        "volume_type": {"id": kind.id, "name": kind.name} if kind else None,
        "image_id": image_id,
        "image_name": given["image_name"],
        **formats,
    }
    return Reply(202, {"os-volume_upload_image": result})


def _set_image_metadata(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    changed = service.save(replace(volume, image_metadata={**volume.image_metadata, **given["metadata"]}))
    return Reply(body={"metadata": dict(changed.image_metadata)})


def _unset_image_metadata(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    if given["key"] not in volume.image_metadata:
        raise NotFound("Metadata does not exist.")
    left = {name: value for name, value in volume.image_metadata.items() if name != given["key"]}
    service.save(replace(volume, image_metadata=left))
    return Reply(200)


def _show_image_metadata(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    return Reply(body={"metadata": dict(volume.image_metadata)})


def _revert(service: VolumeService, call: Call, volume: Volume, given: Given) -> Reply:
    snapshot = service.snapshot(call.caller, given["snapshot_id"])
    if snapshot.volume_id != volume.id:
        raise BadRequest(f"Invalid snapshot: {snapshot.id} is not one of volume {volume.id}.")
    if volume.status != "available" or snapshot.status != "available":
        raise BadRequest("Invalid volume: volume and snapshot must be available.")
    reverting = replace(volume, status="reverting", task={"snapshot_id": snapshot.id})
    service.transitions.of_volume(service.save(reverting))
    return _ACCEPTED


_OF_THE_IMAGE = ("image_id", "image_name")
"""Image metadata of volumes that are neither attributes nor properties."""


@dataclass(frozen=True)
class _Action:
    form: Reader[Json]
    perform: Callable[[VolumeService, Call, Volume, Given], Reply]
    for_admins: bool = False
    since: int = 0


_STATUS = text(255, shortest=1)
_RESET = strict(
    optional={
        "status": _STATUS,
        "attach_status": one_of("attached", "detached"),
        "migration_status": nullable(text(255)),
    }
)
_UPLOAD = strict(
    {"image_name": text(255, shortest=1)},
    {
        "force": flag,
        "container_format": text(64),
        "disk_format": text(64),
        "visibility": one_of("community", "public", "private", "shared"),
        "protected": flag,
    },
)
_ATTACH = strict(
    {"mountpoint": text(255, shortest=1)},
    {
        "instance_uuid": nullable(identifier),
        "host_name": nullable(identifier),
        "mode": one_of("rw", "ro"),
    },
)
_DETACH = strict(optional={"attachment_id": nullable(identifier)})
_RETYPE = strict({"new_type": identifier}, {"migration_policy": one_of("never", "on-demand")})

_ACTIONS = {
    "os-extend": _Action(strict({"new_size": amount(1)}), _extend),
    "os-retype": _Action(_RETYPE, _retype),
    "os-reset_status": _Action(_RESET, _reset, for_admins=True),
    "os-set_bootable": _Action(strict({"bootable": flag}), _set_bootable),
    "os-update_readonly_flag": _Action(strict({"readonly": flag}), _set_readonly),
    "os-force_delete": _Action(_anything_or_nothing, _force_delete, for_admins=True),
    "os-reserve": _Action(_anything_or_nothing, _reserve),
    "os-unreserve": _Action(_anything_or_nothing, _unreserve),
    "os-attach": _Action(_ATTACH, _attach),
    "os-begin_detaching": _Action(_anything_or_nothing, _begin_detaching),
    "os-roll_detaching": _Action(_anything_or_nothing, _roll_detaching),
    "os-detach": _Action(lambda value, where: _DETACH(value or {}, where), _detach),
    "os-force_detach": _Action(_anything_or_nothing, _force_detach, for_admins=True),
    "os-initialize_connection": _Action(strict({"connector": mapping}), _connect),
    "os-terminate_connection": _Action(_anything_or_nothing, _disconnect),
    "os-volume_upload_image": _Action(_UPLOAD, _upload),
    "os-set_image_metadata": _Action(strict({"metadata": texts}), _set_image_metadata),
    "os-unset_image_metadata": _Action(strict({"key": identifier}), _unset_image_metadata),
    "os-show_image_metadata": _Action(_anything_or_nothing, _show_image_metadata),
    "revert": _Action(strict({"snapshot_id": identifier}), _revert, since=40),
}


def act(service: VolumeService, call: Call) -> Reply:
    volume = service.volume(call.caller, call.path["volume_id"])
    name, value = read_action(call)
    action = _ACTIONS.get(name)
    if action is None or microversion(call) < action.since:
        raise BadRequest(f"There is no such action: {name[:255]}")
    if action.for_admins and not call.caller.is_admin:
        raise Forbidden(f"Policy doesn't allow volume_extension:{name} to be performed.")
    return action.perform(service, call, volume, action.form(value, name))


ROUTES = (VolumeRoute("POST", "/volumes/{volume_id}/action", act, writers),)
