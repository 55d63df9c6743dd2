"""Groups of volumes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import identifier, listing, nullable, text, truth
from calor.localcloud.types import Json
from calor.localcloud.volume.creation import remove_volume
from calor.localcloud.volume.group_types import group_type_named
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.quotas import release, reserve
from calor.localcloud.volume.records import Group, Volume
from calor.localcloud.volume.requests import display_text, flag, read_action, strict
from calor.localcloud.volume.routes import VolumeRoute, microversion
from calor.localcloud.volume.service import ZONE, VolumeService
from calor.localcloud.web import Call, Reply

_NEW = strict(
    {"group_type": identifier, "volume_types": listing(identifier)},
    {"name": display_text, "description": display_text, "availability_zone": nullable(identifier)},
)
_CHANGE = strict(
    optional={
        "name": display_text,
        "description": display_text,
        "add_volumes": nullable(text(100_000)),
        "remove_volumes": nullable(text(100_000)),
    }
)
_DELETE = strict({"delete-volumes": flag})
_STATUS = strict({"status": text(255, shortest=1)})
_SINCE = 13


def list_groups(service: VolumeService, call: Call) -> Reply:
    return _list(service, call, lambda group: {"id": group.id, "name": group.name})


def list_details(service: VolumeService, call: Call) -> Reply:
    return _list(service, call, lambda group: show_group(service, call, group))


def _list(service: VolumeService, call: Call, show: Any) -> Reply:
    everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
    wanted = {} if everyone else {"project_id": call.caller.project_id}
    filters = {name: call.query[name] for name in ("id", "name", "status") if name in call.query}
    found = [
        each
        for each in service.records.groups.find(**wanted)
        if all(getattr(each, name) == value for name, value in filters.items())
    ]
    page = STYLE.page(call, found[::-1], by_id)
    return Reply(body=list_body("groups", [show(each) for each in page.items], page.links(call)))


def create_group(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("group", _NEW)
    if call.caller.project_id is None:
        raise BadRequest("Groups can be created in a project only.")
    if not given["volume_types"]:
        raise BadRequest("volume_types must be provided to create group.")
    if given.get("availability_zone") not in (None, ZONE):
        raise BadRequest(f"Availability zone '{given['availability_zone']}' is invalid.")
    group = Group(
        id=str(uuid4()),
        project_id=call.caller.project_id,
        group_type_id=group_type_named(service, call, given["group_type"]).id,
        volume_types=tuple(service.type_named(call.caller, each).id for each in given["volume_types"]),
        availability_zone=given.get("availability_zone") or ZONE,
        created_at=service.stamp(),
        name=given.get("name"),
        description=given.get("description"),
    )
    with service.records.store.transaction():
        reserve(service.records, group.project_id, None, groups=1)
        service.records.groups.add(group)
    return Reply(202, {"group": {"id": group.id, "name": group.name}})


def get_group(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"group": show_group(service, call, _group(service, call))})


def update_group(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("group", _CHANGE)
    if not any(value is not None for value in given.values()):
        raise BadRequest("Name, description, add_volumes and remove_volumes cannot all be empty.")
    group = _group(service, call)
    added = [_addable(service, call, group, id) for id in _ids(given.get("add_volumes"))]
    removed = [_member(service, call, group, id) for id in _ids(given.get("remove_volumes"))]
    with service.records.store.transaction():
        for volume in added:
            service.save(replace(volume, group_id=group.id))
        for volume in removed:
            service.save(replace(volume, group_id=None))
        names = {name: given[name] for name in ("name", "description") if given.get(name) is not None}
        service.records.groups.put(replace(group, **names))
    return Reply(202)


def act(service: VolumeService, call: Call) -> Reply:
    group = _group(service, call)
    action, value = read_action(call)
    if action == "reset_status":
        if not call.caller.is_admin:
            raise Forbidden("Policy doesn't allow group:reset_status to be performed.")
        service.records.groups.put(replace(group, status=_STATUS(value, action)["status"]))
        return Reply(202)
    if action != "delete":
        raise BadRequest(f"There is no such action: {action[:255]}")
    return _delete(service, group, _DELETE(value, action)["delete-volumes"])


def _delete(service: VolumeService, group: Group, with_volumes: bool) -> Reply:
    members = members_of(service, group)
    if members and not with_volumes:
        raise BadRequest(f"Invalid group: Group {group.id} still contains volumes.")
    if service.records.group_snapshots.count(group_id=group.id):
        raise BadRequest(f"Invalid group: Group {group.id} still has group snapshots.")
    busy = [
        each.id
        for each in members
        if each.status not in ("available", "error") or service.records.attachments.count(volume_id=each.id)
    ]
    snapshotted = [each.id for each in members if service.records.snapshots.count(volume_id=each.id)]
    if busy or snapshotted:
        raise BadRequest(
            f"Invalid volume: Volume in group {group.id} is in use or has snapshots: {(busy + snapshotted)[0]}."
        )
    with service.records.store.transaction():
        for volume in members:
            remove_volume(service, replace(volume, group_id=None))
        service.records.groups.remove(group.id)
        release(service.records, group.project_id, None, groups=1)
    return Reply(202)


def group_for_volume(service: VolumeService, call: Call, group_id: str, type_id: str) -> None:
    """The group of a new volume. Raises BadRequest if it does not support the type."""
    group = need_group(service, call, group_id)
    _check_project(group, call.caller.project_id)
    _check_type(group, type_id)


def need_group(service: VolumeService, call: Call, group_id: str) -> Group:
    return service.visible(call.caller, "Group", service.records.groups.get(group_id), group_id)


def members_of(service: VolumeService, group: Group) -> list[Volume]:
    return service.records.volumes.find(group_id=group.id, project_id=group.project_id)


def _group(service: VolumeService, call: Call) -> Group:
    return need_group(service, call, call.path["group_id"])


def _ids(written: str | None) -> list[str]:
    return [id for part in (written or "").split(",") if (id := part.strip())]


def _addable(service: VolumeService, call: Call, group: Group, volume_id: str) -> Volume:
    volume = service.volume(call.caller, volume_id)
    if volume.group_id is not None:
        raise BadRequest(f"Invalid volume: Volume {volume.id} is already in group {volume.group_id}.")
    _check_project(group, volume.project_id)
    _check_type(group, volume.volume_type_id)
    if volume.status not in ("available", "in-use"):
        raise BadRequest(f"Invalid volume: Volume {volume.id} is {volume.status}.")
    return volume


def _member(service: VolumeService, call: Call, group: Group, volume_id: str) -> Volume:
    volume = service.records.volumes.get(volume_id)
    if volume is None or (volume.group_id, volume.project_id) != (group.id, group.project_id):
        raise BadRequest(f"Invalid volume: Volume {volume_id[:255]} is not in group {group.id}.")
    return volume


def _check_project(group: Group, project_id: str | None) -> None:
    """Also for admins: deleting a group can delete its volumes."""
    if project_id != group.project_id:
        raise BadRequest(f"Invalid volume: Group {group.id} belongs to another project.")


def _check_type(group: Group, type_id: str) -> None:
    if type_id not in group.volume_types:
        raise BadRequest(f"Volume type {type_id} is not one of the volume types of group {group.id}.")


def show_group(service: VolumeService, call: Call, group: Group) -> Json:
    version = microversion(call)
    shown: Json = {
        "id": group.id,
        "status": group.status,
        "availability_zone": group.availability_zone,
        "created_at": group.created_at,
        "name": group.name,
        "description": group.description,
        "group_type": group.group_type_id,
        "volume_types": list(group.volume_types),
    }
    if version >= 14:
        shown |= {"group_snapshot_id": None, "source_group_id": None}
    if version >= 25 and truth(call.query.get("list_volume", "false")):
        shown["volumes"] = [each.id for each in members_of(service, group)]
    if version >= 38:
        shown["replication_status"] = "disabled"
    if version >= 58:
        shown["project_id"] = group.project_id
    return shown


_ONE = "/groups/{group_id}"

ROUTES = (
    VolumeRoute("GET", "/groups", list_groups, readers, since=_SINCE),
    VolumeRoute("POST", "/groups", create_group, writers, since=_SINCE),
    VolumeRoute("GET", "/groups/detail", list_details, readers, since=_SINCE),
    VolumeRoute("GET", _ONE, get_group, readers, since=_SINCE),
    VolumeRoute("PUT", _ONE, update_group, writers, since=_SINCE),
    VolumeRoute("POST", f"{_ONE}/action", act, writers, since=_SINCE),
)
