"""Volume types, access to them, and default types of projects."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.requests import identifier, name, nullable, text
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.records import DefaultType, VolumeType
from calor.localcloud.volume.requests import flag, read_action, strict, texts
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import show_changed_type, show_new_type, show_type
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NEW = strict(
    {"name": name},
    {
        "description": nullable(text(255)),
        "os-volume-type-access:is_public": flag,
        "is_public": flag,
        "extra_specs": nullable(texts),
    },
)
_CHANGE = strict(
    optional={"name": nullable(name), "description": nullable(text(255)), "is_public": nullable(flag)}
)
_ACCESS = strict({"project": identifier})
_DEFAULT = strict({"volume_type": identifier})


def list_types(service: VolumeService, call: Call) -> Reply:
    """Public types, and those that the project has access to; admins can list all."""
    asked = call.query.get("is_public", "").lower()
    found = [each for each in service.records.types.find() if service.may_use(call.caller, each)]
    if call.caller.is_admin and asked in ("false", "0", "no"):
        found = [each for each in found if not each.is_public]
    elif asked != "none" or not call.caller.is_admin:
        own = call.caller.project_id
        found = [each for each in found if each.is_public or own in each.projects]
    page = STYLE.page(call, found[::-1], by_id)
    return Reply(
        body=list_body(
            "volume_types",
            [show_type(call, each) for each in page.items],
            page.links(call),
            "volume_type_links",
        )
    )


def create_type(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("volume_type", _NEW)
    is_public: bool = {"is_public": True, **given}["is_public"]
    _check_name(service, given["name"], None)
    volume_type = VolumeType(
        id=str(uuid4()),
        name=given["name"],
        description=given.get("description"),
        is_public=given.get("os-volume-type-access:is_public", is_public),
        extra_specs=given.get("extra_specs") or {},
    )
    return Reply(body={"volume_type": show_new_type(service.records.types.add(volume_type))})


def get_type(service: VolumeService, call: Call) -> Reply:
    if call.path["type_id"] == "default":
        return Reply(
            body={"volume_type": show_type(call, service.default_type(call.caller.project_id or ""))}
        )
    return Reply(body={"volume_type": show_type(call, need_type(service, call))})


def update_type(service: VolumeService, call: Call) -> Reply:
    given = {
        name: value
        for name, value in call.read_in("volume_type", _CHANGE).items()
        if value is not None or name == "description"
    }
    if not given:
        raise BadRequest("Specify volume type name, description, is_public or a combination thereof.")
    volume_type = need_type(service, call)
    _check_name(service, given.get("name", volume_type.name), volume_type.id)
    changed = service.records.types.put(replace(volume_type, **given))
    return Reply(body={"volume_type": show_changed_type(changed)})


def delete_type(service: VolumeService, call: Call) -> Reply:
    volume_type = need_type(service, call)
    if service.records.volumes.count(volume_type_id=volume_type.id):
        raise BadRequest("Target volume type is still in use.")
    if len(service.records.types.find()) == 1:
        raise BadRequest("The last volume type cannot be deleted.")
    with service.records.store.transaction():
        service.records.types.remove(volume_type.id)
        service.records.default_types.remove_where(volume_type_id=volume_type.id)
    return Reply(202)


def _check_name(service: VolumeService, wanted: str, own_id: str | None) -> None:
    other = service.records.types.first(name=wanted)
    if other is not None and other.id != own_id:
        raise Conflict(f"Volume Type {wanted} already exists.")


def need_type(service: VolumeService, call: Call) -> VolumeType:
    found = service.records.types.get(call.path["type_id"])
    if found is None or not service.may_use(call.caller, found):
        raise NotFound(f"Volume type {call.path['type_id'][:255]} could not be found.")
    return found


def list_access(service: VolumeService, call: Call) -> Reply:
    volume_type = need_type(service, call)
    if volume_type.is_public:
        raise NotFound("Access list not available for public volume types.")
    shown = [{"volume_type_id": volume_type.id, "project_id": each} for each in volume_type.projects]
    return Reply(body={"volume_type_access": shown})


def change_access(service: VolumeService, call: Call) -> Reply:
    action, value = read_action(call)
    if action not in ("addProjectAccess", "removeProjectAccess"):
        raise BadRequest(f"There is no such action: {action[:255]}")
    project = _ACCESS(value, action)["project"]
    volume_type = need_type(service, call)
    if volume_type.is_public:
        raise Conflict("Type access modification is not applicable to public volume type.")
    if action == "addProjectAccess":
        if project in volume_type.projects:
            raise Conflict(f"Volume type access for {volume_type.id} / {project} combination already exists.")
        projects = (*volume_type.projects, project)
    else:
        if project not in volume_type.projects:
            raise NotFound(f"Volume type access not found for {volume_type.id} / {project} combination.")
        projects = tuple(each for each in volume_type.projects if each != project)
    service.records.types.put(replace(volume_type, projects=projects))
    return Reply(202)


def list_defaults(service: VolumeService, call: Call) -> Reply:
    return Reply(
        body={"default_types": [_show_default(each) for each in service.records.default_types.find()]}
    )


def get_default(service: VolumeService, call: Call) -> Reply:
    found = service.records.default_types.get(call.path["project"])
    if found is None:
        raise NotFound(f"Default type for project {call.path['project'][:255]} not found.")
    return Reply(body={"default_type": _show_default(found)})


def set_default(service: VolumeService, call: Call) -> Reply:
    wanted = call.read_in("default_type", _DEFAULT)["volume_type"]
    chosen = DefaultType(call.path["project"], service.type_named(call.caller, wanted).id)
    return Reply(body={"default_type": _show_default(service.records.default_types.put(chosen))})


def unset_default(service: VolumeService, call: Call) -> Reply:
    service.records.default_types.remove(call.path["project"])
    return NO_CONTENT


def _show_default(chosen: DefaultType) -> dict[str, str]:
    return {"project_id": chosen.id, "volume_type_id": chosen.volume_type_id}


_ONE = "/types/{type_id}"
_DEFAULTS = "/default-types/{project}"

ROUTES = (
    VolumeRoute("GET", "/types", list_types, readers),
    VolumeRoute("POST", "/types", create_type, admins),
    VolumeRoute("GET", _ONE, get_type, readers),
    VolumeRoute("PUT", _ONE, update_type, admins),
    VolumeRoute("DELETE", _ONE, delete_type, admins),
    VolumeRoute("GET", f"{_ONE}/os-volume-type-access", list_access, admins),
    VolumeRoute("POST", f"{_ONE}/action", change_access, admins),
    VolumeRoute("GET", "/default-types", list_defaults, admins, since=62),
    VolumeRoute("GET", _DEFAULTS, get_default, admins, since=62),
    VolumeRoute("PUT", _DEFAULTS, set_default, admins, since=62),
    VolumeRoute("DELETE", _DEFAULTS, unset_default, admins, since=62),
)
