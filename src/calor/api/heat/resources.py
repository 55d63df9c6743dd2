"""The resources of a stack."""

from __future__ import annotations

from calor.api.errors import BadRequest
from calor.api.heat import views
from calor.api.heat.common import STACK, find_stack, sees_credentials, state_filters
from calor.api.metadata import metadata_of
from calor.api.web import NULL, Api, Call, Reply, Route, only
from calor.service.queries.resources import ResourceFilter

_FILTERS = {
    "status": "status",
    "name": "name",
    "action": "action",
    "id": "id",
    "physical_resource_id": "physical_id",
}
_RESOURCE = f"{STACK}/resources/{{resource_name}}"


def index(api: Api, call: Call) -> Reply:
    query = call.query
    only(query.names(), (*_FILTERS, "type", "nested_depth", "with_detail"))
    depth = query.number("nested_depth") or 0
    with_detail = query.flag("with_detail")
    given = {column: query.all(name) for name, column in _FILTERS.items() if query.all(name)}
    wanted = ResourceFilter(types=tuple(query.all("type")), equal=state_filters(given))
    stack = find_stack(api, call, deleted=True)
    reveals = with_detail and sees_credentials(api, call)
    found = api.queries.resources.of(
        stack, depth=depth, wanted=wanted, with_detail=with_detail, reveals=reveals
    )
    shown = [views.resource(call.base, one, with_detail=with_detail) for one in found]
    return Reply(body={"resources": shown})


def show(api: Api, call: Call) -> Reply:
    found = api.queries.resources.show(
        find_stack(api, call),
        call.path["resource_name"],
        call.query.all("with_attr"),
        reveals=sees_credentials(api, call),
    )
    return Reply(body={"resource": views.resource(call.base, found, with_detail=True)})


def metadata(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call, for_users=True)
    found = metadata_of(api, call.caller, stack, call.path["resource_name"])
    return Reply(body={"metadata": found})


def signal(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call, for_users=True)
    resource = api.queries.resources.get(stack, call.path["resource_name"])
    api.commands.resources.signal(call.caller, stack, resource, call.given)
    return NULL


def mark_unhealthy(api: Api, call: Call) -> Reply:
    only(call.body, ("mark_unhealthy", "resource_status_reason"))
    unhealthy, reason = call.body.get("mark_unhealthy"), call.body.get("resource_status_reason")
    if isinstance(unhealthy, str) and unhealthy.lower() in ("true", "false"):
        unhealthy = unhealthy.lower() == "true"
    if not isinstance(unhealthy, bool):
        raise BadRequest("mark_unhealthy must be true or false.")
    if reason is not None and not isinstance(reason, str):
        raise BadRequest("resource_status_reason must be a string.")
    stack = find_stack(api, call)
    resource = api.queries.resources.get(stack, call.path["resource_name"], or_physical_id=True)
    api.commands.resources.mark_unhealthy(call.caller, stack, resource, unhealthy, reason)
    return NULL


ROUTES = (
    Route("GET", f"{STACK}/resources", index, "resource:index"),
    Route("GET", _RESOURCE, show, "resource:show"),
    Route("PATCH", _RESOURCE, mark_unhealthy, "resource:mark_unhealthy"),
    Route("GET", f"{_RESOURCE}/metadata", metadata, "resource:metadata"),
    Route("POST", f"{_RESOURCE}/signal", signal, "resource:signal"),
)
