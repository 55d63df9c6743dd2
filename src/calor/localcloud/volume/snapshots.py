"""Snapshots of volumes."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import identifier, nullable, text
from calor.localcloud.volume.lists import Listing
from calor.localcloud.volume.metadata import Metadata
from calor.localcloud.volume.quotas import reserve
from calor.localcloud.volume.records import Snapshot
from calor.localcloud.volume.requests import NAMES, flag, read_action, read_names, strict, texts
from calor.localcloud.volume.routes import VolumeRoute, microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import brief_snapshot, show_snapshot
from calor.localcloud.web import Call, Reply

_NEW = strict(
    {"volume_id": nullable(identifier)},
    {**NAMES, "force": nullable(flag), "metadata": nullable(texts)},
)
_CHANGE = strict(optional=NAMES)
_STATUS = strict({"status": text(255, shortest=1)}, {"progress": text(5)})
_REPORTED = {"creating": ("creating", "available", "error"), "deleting": ("deleting", "error_deleting")}
_FORCE_IS_NEEDLESS = 66
"""The microversion since which snapshots of volumes in use need no force."""

_LISTING = Listing(
    "snapshots",
    lambda service: service.records.snapshots,
    ("id", "name", "status", "volume_id", "metadata", "user_id"),
    lambda service, call, found: [show_snapshot(call, each) for each in found],
    brief_snapshot,
)


def create_snapshot(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("snapshot", _NEW)
    volume = service.volume(call.caller, given["volume_id"] or "")
    forced = given.get("force") or microversion(call) >= _FORCE_IS_NEEDLESS
    if volume.status != "available" and not (volume.status == "in-use" and forced):
        raise BadRequest(
            f"Invalid volume: Volume {volume.id} status must be available, but current status is:"
            f" {volume.status}."
        )
    snapshot = Snapshot(
        id=str(uuid4()),
        project_id=volume.project_id,
        user_id=call.caller.user_id,
        volume_id=volume.id,
        size=volume.size,
        created_at=service.stamp(),
        **read_names(given),
        metadata=given.get("metadata") or {},
    )
    kind = service.records.types.get(volume.volume_type_id)
    with service.records.store.transaction():
        reserve(service.records, volume.project_id, kind, snapshots=1, gigabytes=volume.size)
        service.records.snapshots.add(snapshot)
    service.transitions.of_snapshot(snapshot)
    return Reply(202, {"snapshot": brief_snapshot(call, snapshot)})


def get_snapshot(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"snapshot": show_snapshot(call, _snapshot(service, call))})


def update_snapshot(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("snapshot", _CHANGE)
    if not given:
        raise BadRequest("The request contains no changes.")
    changed = _save(service, replace(_snapshot(service, call), **read_names(given)))
    return Reply(body={"snapshot": brief_snapshot(call, changed)})


def delete_snapshot(service: VolumeService, call: Call) -> Reply:
    snapshot = _snapshot(service, call)
    if snapshot.status not in ("available", "error", "error_deleting"):
        raise BadRequest(
            f"Invalid snapshot: Snapshot status must be available or error, but it is {snapshot.status}."
        )
    return _remove(service, snapshot)


def act(service: VolumeService, call: Call) -> Reply:
    snapshot = _snapshot(service, call)
    name, value = read_action(call)
    if name == "os-update_snapshot_status":
        return _report(service, snapshot, value)
    if name not in ("os-reset_status", "os-force_delete"):
        raise BadRequest(f"There is no such action: {name[:255]}")
    if not call.caller.is_admin:
        raise Forbidden(f"Policy doesn't allow snapshot_extension:{name} to be performed.")
    if name == "os-force_delete":
        return _remove(service, snapshot)
    _save(service, replace(snapshot, status=_STATUS(value, name)["status"]))
    return Reply(202)


def _report(service: VolumeService, snapshot: Snapshot, value: object) -> Reply:
    """Sets the status and progress of a snapshot."""
    given = _STATUS(value, "os-update_snapshot_status")
    if given["status"] not in _REPORTED.get(snapshot.status, ()):
        raise BadRequest(
            f"A snapshot that is {snapshot.status} cannot be reported as {given['status'][:255]}."
        )
    _save(service, replace(snapshot, **given))
    return Reply(202)


def _remove(service: VolumeService, snapshot: Snapshot) -> Reply:
    service.transitions.of_snapshot(_save(service, replace(snapshot, status="deleting")))
    return Reply(202)


def _snapshot(service: VolumeService, call: Call) -> Snapshot:
    return service.snapshot(call.caller, call.path["snapshot_id"])


def _save(service: VolumeService, snapshot: Snapshot) -> Snapshot:
    return service.records.snapshots.put(replace(snapshot, updated_at=service.stamp()))


_ONE = "/snapshots/{snapshot_id}"

ROUTES = (
    VolumeRoute("GET", "/snapshots", _LISTING.brief_list, readers),
    VolumeRoute("POST", "/snapshots", create_snapshot, writers),
    VolumeRoute("GET", "/snapshots/detail", _LISTING.detailed_list, readers),
    VolumeRoute("GET", _ONE, get_snapshot, readers),
    VolumeRoute("PUT", _ONE, update_snapshot, writers),
    VolumeRoute("DELETE", _ONE, delete_snapshot, writers),
    VolumeRoute("POST", f"{_ONE}/action", act, writers),
    *Metadata(_snapshot, _save).routes(_ONE),
)
