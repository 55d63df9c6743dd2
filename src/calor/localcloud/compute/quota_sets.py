"""Quota sets, limits and usage of projects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.quotas import DEFAULTS, default_limits, limits_of, usage_of
from calor.localcloud.compute.records import Quota, Server
from calor.localcloud.compute.requests import flag, number, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService, with_microseconds
from calor.localcloud.lists import Page, by_id, list_body
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import Reader, identifier, moment
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_INJECTED = ("injected_files", "injected_file_content_bytes", "injected_file_path_bytes")
_OF_NETWORKS = ("floating_ips", "fixed_ips", "security_groups", "security_group_rules")
_IN_FORCE = ("instances", "cores", "ram")


def get_quotas(compute: ComputeService, call: Call) -> Reply:
    project_id = _readable(call)
    return _reply(call, project_id, limits_of(compute, project_id))


def get_quotas_in_detail(compute: ComputeService, call: Call) -> Reply:
    project_id = _readable(call)
    used = _usage_of_project(compute, project_id)
    detailed = {
        name: {"limit": limit, "in_use": used.get(name, 0), "reserved": 0}
        for name, limit in limits_of(compute, project_id).items()
    }
    return _reply(call, project_id, detailed)


def get_defaults(compute: ComputeService, call: Call) -> Reply:
    return _reply(call, call.path["project_id"], default_limits(compute))


def set_quotas(compute: ComputeService, call: Call) -> Reply:
    project_id = call.path["project_id"]
    given = call.read_in("quota_set", _form(version_of(call), {"tenant_id": identifier}))
    used = _usage_of_project(compute, project_id)
    forced = given.pop("force", False)
    given.pop("tenant_id", None)
    for name in _IN_FORCE:
        if not forced and -1 < given.get(name, -1) < used[name]:
            raise BadRequest(f"The project already uses {used[name]} of {name}.")
    _keep(compute, project_id, given)
    shown = _shown(version_of(call), limits_of(compute, project_id))
    return Reply(body={"quota_set": shown})


def reset_quotas(compute: ComputeService, call: Call) -> Reply:
    compute.records.quotas.remove(call.path["project_id"])
    return Reply(202)


def get_class(compute: ComputeService, call: Call) -> Reply:
    shown = _shown(version_of(call), default_limits(compute), of_class=True)
    return Reply(body={"quota_class_set": {"id": call.path["name"], **shown}})


def set_class(compute: ComputeService, call: Call) -> Reply:
    given = call.read_in("quota_class_set", _form(version_of(call), {"id": identifier}))
    given.pop("id", None)
    if call.path["name"] == "default":
        _keep(compute, "default", given)
    shown = _shown(version_of(call), default_limits(compute), of_class=True)
    return Reply(body={"quota_class_set": shown})


def get_limits(compute: ComputeService, call: Call) -> Reply:
    project_id = call.caller.project_id or ""
    if "tenant_id" in call.query and call.caller.is_admin:
        project_id = call.query["tenant_id"]
    limits, used, version = (
        limits_of(compute, project_id),
        _usage_of_project(compute, project_id),
        version_of(call),
    )
    absolute = {
        "maxTotalInstances": limits["instances"],
        "maxTotalCores": limits["cores"],
        "maxTotalRAMSize": limits["ram"],
        "maxTotalKeypairs": limits["key_pairs"],
        "maxServerMeta": limits["metadata_items"],
        "maxServerGroups": limits["server_groups"],
        "maxServerGroupMembers": limits["server_group_members"],
        "totalInstancesUsed": used["instances"],
        "totalCoresUsed": used["cores"],
        "totalRAMUsed": used["ram"],
        "totalServerGroupsUsed": used["server_groups"],
    }
    if version < (2, 57):
        absolute |= {"maxPersonality": limits["injected_files"]}
        absolute["maxPersonalitySize"] = limits["injected_file_content_bytes"]
    if version < (2, 39):
        absolute["maxImageMeta"] = limits["metadata_items"]
    if version < (2, 36):
        absolute |= {
            "maxTotalFloatingIps": limits["floating_ips"],
            "maxSecurityGroups": limits["security_groups"],
            "maxSecurityGroupRules": limits["security_group_rules"],
            "totalFloatingIpsUsed": 0,
            "totalSecurityGroupsUsed": 0,
        }
    return Reply(body={"limits": {"rate": [], "absolute": absolute}})


def list_usages(compute: ComputeService, call: Call) -> Reply:
    start, end = _period(compute, call)
    page = _page(call, compute.records.servers.find())
    by_project: dict[str, list[Server]] = {}
    for server in page.items:
        by_project.setdefault(server.project_id, []).append(server)
    detailed = call.query.get("detailed") == "1"
    shown = [_usage(project, servers, start, end, detailed) for project, servers in by_project.items()]
    return Reply(body=list_body("tenant_usages", shown, page.links(call)))


def get_usage(compute: ComputeService, call: Call) -> Reply:
    project_id = _readable(call)
    start, end = _period(compute, call)
    page = _page(call, compute.records.servers.find(project_id=project_id))
    usage = _usage(project_id, page.items, start, end, detailed=True) if page.items else {}
    return Reply(body=list_body("tenant_usage", usage, page.links(call)))


def _page(call: Call, servers: Sequence[Server]) -> Page[Server]:
    """The servers whose usage a page shows. Its marker is a server, so that a project may be on two pages."""
    return STYLE.page(call, servers, by_id) if version_of(call) >= (2, 40) else Page(servers)


def _readable(call: Call) -> str:
    project_id = call.path["project_id"]
    if project_id != call.caller.project_id and not call.caller.is_admin:
        raise Forbidden("You are not authorized to see quotas and usage of other projects.")
    return project_id


def _names(version: Version) -> list[str]:
    gone = (_OF_NETWORKS if version >= (2, 36) else ()) + (_INJECTED if version >= (2, 57) else ())
    return [name for name in DEFAULTS if name not in gone]


def _shown(version: Version, limits: Mapping[str, object], of_class: bool = False) -> Json:
    names = _names(version)
    if of_class and version < (2, 50):
        names = [name for name in names if not name.startswith("server_group")]
    return {name: limits[name] for name in names}


def _reply(call: Call, project_id: str, limits: Mapping[str, object]) -> Reply:
    return Reply(body={"quota_set": {"id": project_id, **_shown(version_of(call), limits)}})


def _form(version: Version, more: dict[str, Reader[object]]) -> Reader[Json]:
    limits: dict[str, Reader[object]] = {name: number(-1) for name in _names(version)}
    return strict(optional={**limits, "force": flag, **more})


def _keep(compute: ComputeService, id: str, given: dict[str, int]) -> None:
    old = compute.records.quotas.get(id)
    compute.records.quotas.put(Quota(id, {**(old.limits if old else {}), **given}))


def _usage_of_project(compute: ComputeService, project_id: str) -> dict[str, int]:
    used = usage_of(compute, project_id)
    return {
        "instances": used.instances,
        "cores": used.cores,
        "ram": used.ram,
        "server_groups": compute.records.groups.count(project_id=project_id),
    }


def _period(compute: ComputeService, call: Call) -> tuple[datetime, datetime]:
    end = moment(call.query["end"], "end") if "end" in call.query else compute.context.clock()
    start = moment(call.query["start"], "start") if "start" in call.query else end - timedelta(days=28)
    if start > end:
        raise BadRequest("start must not be after end.")
    return start, end


def _usage(
    project_id: str, servers: Sequence[Server], start: datetime, end: datetime, detailed: bool
) -> Json:
    details = [_detail(server, start, end) for server in servers]
    shown: Json = {
        "tenant_id": project_id,
        "start": _written(start),
        "stop": _written(end),
        "total_hours": sum(each["hours"] for each in details),
        "total_vcpus_usage": sum(each["hours"] * each["vcpus"] for each in details),
        "total_memory_mb_usage": sum(each["hours"] * each["memory_mb"] for each in details),
        "total_local_gb_usage": sum(each["hours"] * each["local_gb"] for each in details),
    }
    return shown | {"server_usages": details} if detailed else shown


def _detail(server: Server, start: datetime, end: datetime) -> Json:
    began = datetime.fromisoformat(server.launched or server.created)
    seconds = max(0.0, (end - max(start, began)).total_seconds())
    return {
        "name": server.name,
        "instance_id": server.id,
        "tenant_id": server.project_id,
        "flavor": server.flavor["name"],
        "hours": seconds / 3600,
        "vcpus": server.flavor["vcpus"],
        "memory_mb": server.flavor["ram"],
        "local_gb": server.flavor["disk"] + server.flavor["ephemeral"],
        "started_at": with_microseconds(server.launched or server.created),
        "ended_at": None,
        "state": server.vm_state,
        "uptime": int(seconds),
    }


def _written(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")


_QUOTAS = "/os-quota-sets/{project_id}"
_CLASS = "/os-quota-class-sets/{name}"

ROUTES = (
    ComputeRoute("GET", _QUOTAS, get_quotas, readers),
    ComputeRoute("PUT", _QUOTAS, set_quotas, admins),
    ComputeRoute("DELETE", _QUOTAS, reset_quotas, admins),
    ComputeRoute("GET", f"{_QUOTAS}/detail", get_quotas_in_detail, readers),
    ComputeRoute("GET", f"{_QUOTAS}/defaults", get_defaults, readers),
    ComputeRoute("GET", _CLASS, get_class, admins),
    ComputeRoute("PUT", _CLASS, set_class, admins),
    ComputeRoute("GET", "/limits", get_limits, readers),
    ComputeRoute("GET", "/os-simple-tenant-usage", list_usages, admins),
    ComputeRoute("GET", "/os-simple-tenant-usage/{project_id}", get_usage, readers),
)
