"""Snapshots of all volumes of a group."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import identifier, truth
from calor.localcloud.types import Json
from calor.localcloud.volume.groups import members_of, need_group
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.quotas import reserve
from calor.localcloud.volume.records import GroupSnapshot, Snapshot, Volume
from calor.localcloud.volume.requests import display_text, strict
from calor.localcloud.volume.routes import VolumeRoute, microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply

_NEW = strict({"group_id": identifier}, {"name": display_text, "description": display_text})
_CHANGE = strict(optional={"name": display_text, "description": display_text})
_SINCE = 14


def list_snapshots(service: VolumeService, call: Call) -> Reply:
    return _list(service, call, lambda one: {"id": one.id, "name": one.name})


def list_details(service: VolumeService, call: Call) -> Reply:
    return _list(service, call, lambda one: _show(service, call, one))


def _list(service: VolumeService, call: Call, show: Any) -> Reply:
    everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
    wanted = {} if everyone else {"project_id": call.caller.project_id}
    filters = {name: call.query[name] for name in ("id", "name", "group_id") if name in call.query}
    found = [
        each
        for each in service.records.group_snapshots.find(**wanted)
        if all(getattr(each, name) == value for name, value in filters.items())
    ]
    page = STYLE.page(call, found[::-1], by_id)
    return Reply(body=list_body("group_snapshots", [show(each) for each in page.items], page.links(call)))


def create_snapshot(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("group_snapshot", _NEW)
    group = need_group(service, call, given["group_id"])
    members = members_of(service, group)
    if not members:
        raise BadRequest(f"Invalid group: Group {group.id} has no volumes.")
    for volume in members:
        if volume.status not in ("available", "in-use"):
            raise BadRequest(f"Invalid volume: Volume {volume.id} of the group is {volume.status}.")
    made = GroupSnapshot(
        id=str(uuid4()),
        project_id=group.project_id,
        group_id=group.id,
        group_type_id=group.group_type_id,
        created_at=service.stamp(),
        name=given.get("name"),
        description=given.get("description"),
    )
    snapshots = [_of_member(service, call, made, volume) for volume in members]
    with service.records.store.transaction():
        for volume, snapshot in zip(members, snapshots, strict=True):
            kind = service.records.types.get(volume.volume_type_id)
            reserve(service.records, volume.project_id, kind, snapshots=1, gigabytes=volume.size)
            service.records.snapshots.add(snapshot)
        service.records.group_snapshots.add(made)
    for snapshot in snapshots:
        service.transitions.of_snapshot(snapshot)
    shown = {"id": made.id, "name": made.name, "group_type_id": made.group_type_id}
    return Reply(202, {"group_snapshot": shown})


def _of_member(service: VolumeService, call: Call, made: GroupSnapshot, volume: Volume) -> Snapshot:
    return Snapshot(
        id=str(uuid4()),
        project_id=volume.project_id,
        user_id=call.caller.user_id,
        volume_id=volume.id,
        size=volume.size,
        created_at=service.stamp(),
        name=made.name,
        description=made.description,
        group_snapshot_id=made.id,
    )


def get_snapshot(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"group_snapshot": _show(service, call, _snapshot(service, call))})


def update_snapshot(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("group_snapshot", _CHANGE)
    if not given:
        raise BadRequest("The request contains no changes.")
    changed = service.records.group_snapshots.put(replace(_snapshot(service, call), **given))
    return Reply(body={"group_snapshot": _show(service, call, changed)})


def delete_snapshot(service: VolumeService, call: Call) -> Reply:
    found = _snapshot(service, call)
    members = service.records.snapshots.find(group_snapshot_id=found.id, project_id=found.project_id)
    if any(each.status not in ("available", "error") for each in members):
        raise BadRequest("Invalid group snapshot: its snapshots must be available or error.")
    with service.records.store.transaction():
        service.records.group_snapshots.remove(found.id)
        gone = [service.records.snapshots.put(replace(each, status="deleting")) for each in members]
    for snapshot in gone:
        service.transitions.of_snapshot(snapshot)
    return Reply(202)


def _snapshot(service: VolumeService, call: Call) -> GroupSnapshot:
    id = call.path["snapshot_id"]
    return service.visible(call.caller, "GroupSnapshot", service.records.group_snapshots.get(id), id)


def _show(service: VolumeService, call: Call, found: GroupSnapshot) -> Json:
    members = service.records.snapshots.find(group_snapshot_id=found.id, project_id=found.project_id)
    states = {each.status for each in members}
    status = next((state for state in ("error", "creating", "deleting") if state in states), "available")
    shown: Json = {
        "id": found.id,
        "group_id": found.group_id,
        "group_type_id": found.group_type_id,
        "status": status,
        "created_at": found.created_at,
        "name": found.name,
        "description": found.description,
    }
    return shown | {"project_id": found.project_id} if microversion(call) >= 58 else shown


_ONE = "/group_snapshots/{snapshot_id}"

ROUTES = (
    VolumeRoute("GET", "/group_snapshots", list_snapshots, readers, since=_SINCE),
    VolumeRoute("POST", "/group_snapshots", create_snapshot, writers, since=_SINCE),
    VolumeRoute("GET", "/group_snapshots/detail", list_details, readers, since=_SINCE),
    VolumeRoute("GET", _ONE, get_snapshot, readers, since=_SINCE),
    VolumeRoute("PUT", _ONE, update_snapshot, writers, since=_SINCE),
    VolumeRoute("DELETE", _ONE, delete_snapshot, writers, since=_SINCE),
)
