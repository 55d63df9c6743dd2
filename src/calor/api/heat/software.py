"""Software configurations and deployments."""

from __future__ import annotations

import time

from calor.api.errors import BadRequest
from calor.api.heat import views
from calor.api.heat.common import page, record_fetch, sees_credentials
from calor.api.web import NO_CONTENT, Api, Call, Reply, Route, only
from calor.resources.values import JsonMapping, JsonObject

_LONGEST_ID = 64
_TEXTS = ("action", "status", "status_reason")
_TYPES = ("String", "Number", "CommaDelimitedList", "Json", "Boolean")
_DESCRIBED = {
    "inputs": ("name", "type", "description", "default", "replace_on_change", "value"),
    "outputs": ("name", "type", "description", "error_output"),
}
_MAPS = ("input_values", "output_values")


def configs(api: Api, call: Call) -> Reply:
    everywhere = call.query.flag("global_tenant")
    if everywhere:
        api.policy.enforce(call.caller, "software_configs:global_index")
    part = page(call.query, {})
    found = api.queries.deployments.configs(call.caller, part, all_projects=everywhere)
    shown = [views.config_line(one, with_project=call.caller.is_admin) for one in found]
    return Reply(body={"software_configs": shown})


def show_config(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.config(call.caller, call.path["config_id"])
    return Reply(body={"software_config": views.config(found, reveals=sees_credentials(api, call))})


def create_config(api: Api, call: Call) -> Reply:
    body = call.body
    fields = {
        "name": _text(body, "name"),
        "group": _text(body, "group"),
        "config": body.get("config"),
        "inputs": _described(body, "inputs"),
        "outputs": _described(body, "outputs"),
        "options": _map(body, "options") or {},
    }
    return Reply(
        body={"software_config": views.config(api.commands.software.create_config(call.caller, fields))}
    )


def delete_config(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.config(call.caller, call.path["config_id"])
    api.commands.software.delete_config(call.caller, found)
    return NO_CONTENT


def index(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.of_project(call.caller, call.query.get("server_id"))
    return Reply(body={"software_deployments": [views.deployment(one, time.time()) for one in found]})


def metadata(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.of_server(call.caller, call.path["server_id"])
    record_fetch(api, call, call.path["server_id"])
    reveals = sees_credentials(api, call)
    return Reply(body={"metadata": [views.deployed_config(one, reveals=reveals) for one in found]})


def show(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.get(call.caller, call.path["deployment_id"])
    shown = api.commands.software.refresh_deployment(call.caller, found)
    return Reply(body={"software_deployment": views.deployment(shown, time.time())})


def create(api: Api, call: Call) -> Reply:
    body = call.body
    for name in ("server_id", "config_id"):
        if not body.get(name):
            raise BadRequest(f"{name} is required.")
    made = api.commands.software.create_deployment(call.caller, {**_references(body), **_state(body)})
    return Reply(body={"software_deployment": views.deployment(made, time.time())})


def update(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.get(call.caller, call.path["deployment_id"])
    fields = {"config": _text(call.body, "config_id", _LONGEST_ID), **_state(call.body)}
    given = {name: value for name, value in fields.items() if value is not None}
    made = api.commands.software.update_deployment(call.caller, found, given)
    return Reply(body={"software_deployment": views.deployment(made, time.time())})


def delete(api: Api, call: Call) -> Reply:
    found = api.queries.deployments.get(call.caller, call.path["deployment_id"])
    api.commands.software.delete_deployment(call.caller, found)
    return NO_CONTENT


def _references(body: JsonMapping) -> JsonObject:
    return {
        name.removesuffix("_id"): _text(body, name, _LONGEST_ID)
        for name in ("server_id", "config_id", "stack_user_project_id")
    }


def _state(body: JsonMapping) -> JsonObject:
    texts = {name: _text(body, name, 65536 if name == "status_reason" else 64) for name in _TEXTS}
    return {**texts, **{name: _map(body, name) for name in _MAPS}}


def _text(body: JsonMapping, name: str, longest: int = 255) -> str | None:
    value = body.get(name)
    if value is not None and (not isinstance(value, str) or len(value) > longest):
        raise BadRequest(f"{name} must be a string of at most {longest} characters.")
    return value


def _map(body: JsonMapping, name: str) -> JsonObject | None:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise BadRequest(f"{name} must be an object.")
    return value


def _described(body: JsonMapping, name: str) -> list[JsonObject]:
    """Inputs or outputs: a list of maps with names."""
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BadRequest(f"{name} must be a list of objects.")
    for one in value:
        if not isinstance(one.get("name"), str) or not one["name"]:
            raise BadRequest(f"Each of the {name} must have a name.")
        only(one, _DESCRIBED[name])
        if one.get("type") not in (None, *_TYPES):
            raise BadRequest(f"The type of {one['name']} must be one of {', '.join(_TYPES)}.")
    return value


_CONFIG = "/software_configs/{config_id}"
_DEPLOYMENT = "/software_deployments/{deployment_id}"

ROUTES = (
    Route("GET", "/software_configs", configs, "software_configs:index"),
    Route("POST", "/software_configs", create_config, "software_configs:create"),
    Route("GET", _CONFIG, show_config, "software_configs:show"),
    Route("DELETE", _CONFIG, delete_config, "software_configs:delete"),
    Route("GET", "/software_deployments", index, "software_deployments:index"),
    Route("POST", "/software_deployments", create, "software_deployments:create"),
    Route("GET", _DEPLOYMENT, show, "software_deployments:show"),
    Route("PUT", _DEPLOYMENT, update, "software_deployments:update"),
    Route("DELETE", _DEPLOYMENT, delete, "software_deployments:delete"),
    Route("GET", "/software_deployments/metadata/{server_id}", metadata, "software_deployments:metadata"),
)
