"""Quota sets of projects."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network import requests
from calor.localcloud.network.policy import project_readers
from calor.localcloud.network.problems import forbidden, missing
from calor.localcloud.network.quotas import DEFAULTS, limits_of, set_limits, usage_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.policy import admins
from calor.localcloud.requests import mapping
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_LIMIT = requests.whole(-1, 2**31 - 1)
_LIMITS = requests.strict_shape({}, dict.fromkeys(DEFAULTS, _LIMIT))


def list_quotas(networking: NetworkService, call: Call) -> Reply:
    """Of projects that differ from the defaults."""
    records = networking.records
    found = [{**_limits(networking, each.id), **_names(each.id)} for each in records.quotas.find()]
    return Reply(body={"quotas": found})


def get_quota(networking: NetworkService, call: Call) -> Reply:
    return Reply(body={"quota": _limits(networking, _project(call))})


def get_defaults(networking: NetworkService, call: Call) -> Reply:
    _project(call)
    return Reply(body={"quota": dict(DEFAULTS)})


def get_details(networking: NetworkService, call: Call) -> Reply:
    project = _project(call)
    limits = _limits(networking, project)
    used = usage_of(networking.records, project)
    shown = {kind: {"limit": limits[kind], "used": used[kind], "reserved": 0} for kind in limits}
    return Reply(body={"quota": shown})


def update_quota(networking: NetworkService, call: Call) -> Reply:
    project = call.path["project_id"]
    given = call.read_in("quota", _limits_given)
    set_limits(networking.records, project, given)
    return Reply(body={"quota": _limits(networking, project)})


def delete_quota(networking: NetworkService, call: Call) -> Reply:
    if not networking.records.quotas.remove(call.path["project_id"]):
        raise missing("TenantQuota", call.path["project_id"])
    return NO_CONTENT


def get_own_project(networking: NetworkService, call: Call) -> Reply:
    return Reply(body={"tenant": _names(call.caller.project_id or "")})


def _limits_given(value: object, where: str) -> Any:
    """Ignores project ids and `force` in the body."""
    beside = ("project_id", "tenant_id", "force", "check_limit")
    return _LIMITS(
        {name: limit for name, limit in mapping(value, where).items() if name not in beside}, where
    )


def _limits(networking: NetworkService, project_id: str) -> dict[str, int]:
    return limits_of(networking.records, project_id)


def _names(project_id: str) -> dict[str, str]:
    return {"project_id": project_id, "tenant_id": project_id}


def _project(call: Call) -> str:
    project = call.path["project_id"]
    if not call.caller.is_admin and project != call.caller.project_id:
        raise forbidden("get_quota")
    return project


_ONE = "/v2.0/quotas/{project_id}"

ROUTES = (
    ServiceRoute("GET", "/v2.0/quotas", list_quotas, admins),
    ServiceRoute("GET", "/v2.0/quotas/tenant", get_own_project, project_readers),
    ServiceRoute("GET", "/v2.0/quotas/project", get_own_project, project_readers),
    ServiceRoute("GET", _ONE, get_quota, project_readers),
    ServiceRoute("PUT", _ONE, update_quota, admins),
    ServiceRoute("DELETE", _ONE, delete_quota, admins),
    ServiceRoute("GET", f"{_ONE}/default", get_defaults, project_readers),
    ServiceRoute("GET", f"{_ONE}/details", get_details, project_readers),
)
