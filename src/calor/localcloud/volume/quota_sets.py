"""Quota sets and limits."""

from __future__ import annotations

from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import mapping, truth
from calor.localcloud.types import Json
from calor.localcloud.volume.quotas import DEFAULT_CLASS, UNLIMITED, defaults, limits_of, set_limits, used_by
from calor.localcloud.volume.requests import amount
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply

_NUMBER = amount(UNLIMITED)
_ABSOLUTE = {
    "volumes": ("maxTotalVolumes", "totalVolumesUsed"),
    "gigabytes": ("maxTotalVolumeGigabytes", "totalGigabytesUsed"),
    "snapshots": ("maxTotalSnapshots", "totalSnapshotsUsed"),
    "backups": ("maxTotalBackups", "totalBackupsUsed"),
    "backup_gigabytes": ("maxTotalBackupGigabytes", "totalBackupGigabytesUsed"),
}


def get_quotas(service: VolumeService, call: Call) -> Reply:
    project = _project(call)
    limits = limits_of(service.records, project)
    if not truth(call.query.get("usage", "false")):
        return Reply(body={"quota_set": {"id": project, **limits}})
    used = used_by(service.records, project)
    result = {
        name: {"limit": limit, "in_use": used.get(name, 0), "reserved": 0, "allocated": 0}
        for name, limit in limits.items()
    }
    return Reply(body={"quota_set": {"id": project, **result}})


def get_defaults(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"quota_set": {"id": call.path["project"], **defaults(service.records)}})


def update_quotas(service: VolumeService, call: Call) -> Reply:
    project = call.path["project"]
    set_limits(service.records, project, _read(service, call, "quota_set"))
    return Reply(body={"quota_set": limits_of(service.records, project)})


def _read(service: VolumeService, call: Call, member: str) -> dict[str, int]:
    known = defaults(service.records)
    # Clients repeat the project id in the body.
    given = {
        name: value
        for name, value in call.read_in(member, mapping).items()
        if name not in ("tenant_id", "project_id", "class_name")
    }
    for name in given:
        if name not in known:
            raise BadRequest(f"Bad key(s) in quota set: {name[:255]}")
    return {name: _NUMBER(value, f"{member}.{name}") for name, value in given.items()}


def delete_quotas(service: VolumeService, call: Call) -> Reply:
    service.records.allowances.remove(call.path["project"])
    return Reply(200)


def get_class(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"quota_class_set": {"id": call.path["name"], **defaults(service.records)}})


def update_class(service: VolumeService, call: Call) -> Reply:
    if call.path["name"] != DEFAULT_CLASS:
        raise BadRequest(f"The only supported quota class is {DEFAULT_CLASS}.")
    set_limits(service.records, DEFAULT_CLASS, _read(service, call, "quota_class_set"))
    return Reply(body={"quota_class_set": defaults(service.records)})


def get_limits(service: VolumeService, call: Call) -> Reply:
    project = call.caller.project_id or ""
    if call.caller.is_admin:
        project = call.query.get("project_id", project)
    limits, used = limits_of(service.records, project), used_by(service.records, project)
    absolute: Json = {}
    for name, (most, now) in _ABSOLUTE.items():
        absolute |= {most: limits[name], now: used.get(name, 0)}
    return Reply(body={"limits": {"rate": [], "absolute": absolute}})


def _project(call: Call) -> str:
    project = call.path["project"]
    if not call.caller.is_admin and project != call.caller.project_id:
        raise Forbidden("Policy doesn't allow volume_extension:quotas:show to be performed.")
    return project


_ONE = "/os-quota-sets/{project}"

ROUTES = (
    VolumeRoute("GET", _ONE, get_quotas, readers),
    VolumeRoute("GET", f"{_ONE}/defaults", get_defaults, readers),
    VolumeRoute("PUT", _ONE, update_quotas, admins),
    VolumeRoute("DELETE", _ONE, delete_quotas, admins),
    VolumeRoute("GET", "/os-quota-class-sets/{name}", get_class, admins),
    VolumeRoute("PUT", "/os-quota-class-sets/{name}", update_class, admins),
    VolumeRoute("GET", "/limits", get_limits, readers),
)
