"""Group types and their specs."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.requests import nullable, text
from calor.localcloud.types import Json
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.records import GroupType
from calor.localcloud.volume.requests import flag, strict, texts
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply

_NAME = text(255, shortest=1)
_MEMBERS = {"description": nullable(text(255)), "is_public": nullable(flag)}
_NEW = strict({"name": _NAME}, {**_MEMBERS, "group_specs": nullable(texts)})
_CHANGE = strict(optional={"name": nullable(_NAME), **_MEMBERS})
_SINCE = 11


def list_types(service: VolumeService, call: Call) -> Reply:
    """Public types; admins can list all."""
    asked = call.query.get("is_public", "true").lower()
    found = service.records.group_types.find()
    if not (call.caller.is_admin and asked == "none"):
        wanted = not (call.caller.is_admin and asked in ("false", "0", "no"))
        found = [each for each in found if each.is_public is wanted]
    page = STYLE.page(call, found[::-1], by_id)
    return Reply(
        body=list_body(
            "group_types", [_show(call, each) for each in page.items], page.links(call), "group_type_links"
        )
    )


def create_type(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("group_type", _NEW)
    _check_name(service, given["name"], None)
    public = given.get("is_public")
    made = GroupType(
        id=str(uuid4()),
        name=given["name"],
        description=given.get("description"),
        is_public=True if public is None else public,
        group_specs=given.get("group_specs") or {},
    )
    return Reply(202, {"group_type": _show(call, service.records.group_types.add(made))})


def get_type(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"group_type": _show(call, _type(service, call))})


def update_type(service: VolumeService, call: Call) -> Reply:
    given = {
        name: value
        for name, value in call.read_in("group_type", _CHANGE).items()
        if value is not None or name == "description"
    }
    if not given:
        raise BadRequest("Specify group type name, description or a combination thereof.")
    group_type = _type(service, call)
    _check_name(service, given.get("name", group_type.name), group_type.id)
    changed = service.records.group_types.put(replace(group_type, **given))
    return Reply(body={"group_type": _show(call, changed)})


def delete_type(service: VolumeService, call: Call) -> Reply:
    group_type = _type(service, call)
    if service.records.groups.count(group_type_id=group_type.id):
        raise BadRequest("Target group type is still in use.")
    service.records.group_types.remove(group_type.id)
    return Reply(202)


def list_specs(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"group_specs": dict(_type(service, call).group_specs)})


def add_specs(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("group_specs", texts)
    group_type = _type(service, call)
    service.records.group_types.put(replace(group_type, group_specs={**group_type.group_specs, **given}))
    return Reply(202, {"group_specs": given})


def get_spec(service: VolumeService, call: Call) -> Reply:
    key = call.path["key"]
    return Reply(body={key: _spec(_type(service, call), key)})


def set_spec(service: VolumeService, call: Call) -> Reply:
    given = call.read(texts)
    if list(given) != [call.path["key"]]:
        raise BadRequest("Request body and URI mismatch")
    group_type = _type(service, call)
    service.records.group_types.put(replace(group_type, group_specs={**group_type.group_specs, **given}))
    return Reply(body=given)


def remove_spec(service: VolumeService, call: Call) -> Reply:
    group_type, key = _type(service, call), call.path["key"]
    _spec(group_type, key)
    left = {name: value for name, value in group_type.group_specs.items() if name != key}
    service.records.group_types.put(replace(group_type, group_specs=left))
    return Reply(202)


def group_type_named(service: VolumeService, call: Call, name_or_id: str) -> GroupType:
    types = service.records.group_types
    found = types.get(name_or_id) or types.first(name=name_or_id)
    if found is None or not (found.is_public or call.caller.is_admin):
        raise NotFound(f"Group type {name_or_id[:255]} could not be found.")
    return found


def _type(service: VolumeService, call: Call) -> GroupType:
    return group_type_named(service, call, call.path["type_id"])


def _spec(group_type: GroupType, key: str) -> str:
    if key not in group_type.group_specs:
        raise NotFound(f"Group Type {group_type.id} has no specs with key {key[:255]}.")
    return group_type.group_specs[key]


def _check_name(service: VolumeService, wanted: str, own_id: str | None) -> None:
    other = service.records.group_types.first(name=wanted)
    if other is not None and other.id != own_id:
        raise Conflict(f"Group Type {wanted} already exists.")


def _show(call: Call, group_type: GroupType) -> Json:
    shown: Json = {
        "id": group_type.id,
        "name": group_type.name,
        "description": group_type.description,
        "is_public": group_type.is_public,
    }
    return shown | {"group_specs": dict(group_type.group_specs)} if call.caller.is_admin else shown


_ONE = "/group_types/{type_id}"
_SPECS = f"{_ONE}/group_specs"

ROUTES = (
    VolumeRoute("GET", "/group_types", list_types, readers, since=_SINCE),
    VolumeRoute("POST", "/group_types", create_type, admins, since=_SINCE),
    VolumeRoute("GET", _ONE, get_type, readers, since=_SINCE),
    VolumeRoute("PUT", _ONE, update_type, admins, since=_SINCE),
    VolumeRoute("DELETE", _ONE, delete_type, admins, since=_SINCE),
    VolumeRoute("GET", _SPECS, list_specs, admins, since=_SINCE),
    VolumeRoute("POST", _SPECS, add_specs, admins, since=_SINCE),
    VolumeRoute("GET", f"{_SPECS}/{{key}}", get_spec, admins, since=_SINCE),
    VolumeRoute("PUT", f"{_SPECS}/{{key}}", set_spec, admins, since=_SINCE),
    VolumeRoute("DELETE", f"{_SPECS}/{{key}}", remove_spec, admins, since=_SINCE),
)
